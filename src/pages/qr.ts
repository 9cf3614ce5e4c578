/** QR codes as SVG. */
import { encode } from "uqr";

/** Readers need this many modules of white around the code. */
const QUIET_ZONE = 4;

/**
 * `correction`: M reads a code of which 15% is damaged, and L has fewer modules. A rectangle for each run of dark modules in a row makes
 * the image half as large as a square for each module.
 */
export function qrSvg(text: string, correction: "L" | "M"): string {
  const { data, size } = encode(text, { ecc: correction, border: QUIET_ZONE });
  const rows = data.map((modules, y) => {
    const row = modules.map((isDark) => (isDark ? "1" : "0")).join("");
    return [...row.matchAll(/1+/g)].map(
      ({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`,
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}"><rect fill="white" width="${size}" height="${size}"/><path fill="black" d="${rows.flat().join("")}"/></svg>`;
}
