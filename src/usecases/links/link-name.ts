/** The names and tokens of links. */
import { customAlphabet } from "nanoid";
import * as z from "zod/mini";
import { atMost, nameText } from "../../http/input/fields.ts";

/** A token for a new link, of 30^10. Without vowels, so that it never equals a word of a path. */
export const createLinkToken = customAlphabet("0123456789bcdfghjkmnpqrstvwxyz", 10);

/**
 * `::` joins the names of sub-links (spec §2.2), so a name cannot contain it. The same letters can have two encodings, such as é and
 * e with a combining accent. Stored in the first (NFC), they name one link. Normalization sorts the accents of a letter, so the length
 * comes before it; and after it, because a few characters become several.
 */
export const linkName = z
  .string()
  .check(
    z.trim(),
    atMost(255),
    z.normalize("NFC"),
    nameText(1, 255),
    z.refine((name) => !name.includes("::"), "must not contain ::, which joins the names of a path"),
  )
  .with(z.describe("The link's own name: 1 to 255 characters, without `::`"));
