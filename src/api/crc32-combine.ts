// The CRC-32 of joined bytes from the CRC-32s of their parts, without looking at the bytes.
//
// A CRC is a polynomial over GF(2) modulo P. Joining A and B shifts A's by the length of B, so crc(AB) is
// crc(A) * x^(8 * length of B) mod P, plus crc(B). Bits are reflected, as in gzip: bit 31 is the coefficient of x^0.

const polynomial = 0xed_b8_83_20;

/** x^(2^n) modulo P for n from 0 to 31: the order of x divides 2^32 - 1, so these are enough for every length. */
const powers = ((): readonly number[] => {
  const table: number[] = [];
  for (let power = 0x40_00_00_00, n = 0; n < 32; n++, power = multiply(power, power)) table.push(power);
  return table;
})();

export function crc32Combine(first: number, second: number, secondLength: number): number {
  let shift = 0x80_00_00_00;
  // Length in bits: the lowest bit of the length in bytes stands for x^8 = x^(2^3).
  for (let rest = secondLength, n = 3; rest > 0; rest = Math.floor(rest / 2), n++) {
    if (rest % 2 === 1) shift = multiply(shift, powers[n % 32] ?? 0);
  }
  return (multiply(shift, first) ^ second) >>> 0;
}

/** Product of two polynomials modulo P. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = 0x80_00_00_00; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ polynomial;
  }
  return product >>> 0;
}
