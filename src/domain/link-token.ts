import { customAlphabet } from "nanoid";

/** A token for a new link, of 30^10. Without vowels, so that it never equals a word of a path. */
export const createLinkToken = customAlphabet("0123456789bcdfghjkmnpqrstvwxyz", 10);
