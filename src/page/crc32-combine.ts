// Computes the CRC-32 of joined bytes from the CRC-32s of their parts, without reading the bytes.
//
// A CRC is a polynomial over GF(2) modulo P. Joining A and B shifts A's by the n bytes of B, so crc(AB) is crc(A) *
// x^(8n) mod P, plus crc(B). Bits are reflected, as in gzip: bit 31 is the coefficient of x^0.

const polynomial = 0xed_b8_83_20;
const one = 0x80_00_00_00;
const x8 = 0x00_80_00_00;

/**
 * x^(8 * byte * 256^n) modulo P for every byte: a length is composed of its bytes, so most fragments need two products.
 * Filled when a length first needs it; 256^4 acts as 1, because the order of x divides 2^32 - 1.
 */
const shifts: Uint32Array[] = [];

export function crc32Combine(first: number, second: number, secondLength: number): number {
  let shifted = first;
  for (let rest = secondLength, n = 0; rest > 0; rest = Math.floor(rest / 256), n++) {
    const byte = rest % 256;
    if (byte !== 0) shifted = multiply(shifted, shiftsOf(n % 4)[byte] ?? one);
  }
  return (shifted ^ second) >>> 0;
}

function shiftsOf(n: number): Uint32Array {
  const known = shifts[n];
  if (known) return known;
  const below = n === 0 ? undefined : shiftsOf(n - 1);
  const step = below ? multiply(below[255] ?? one, below[1] ?? one) : x8;
  const table = new Uint32Array(256);
  for (let byte = 0, power = one; byte < 256; byte++, power = multiply(power, step)) table[byte] = power;
  shifts[n] = table;
  return table;
}

/** Returns the product of two polynomials modulo P. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let rest = a; rest !== 0; rest <<= 1) {
    // No branches: bits of a CRC look random, and a mispredicted branch costs more than the arithmetic.
    product ^= factor & (rest >> 31);
    factor = (factor >>> 1) ^ (polynomial & -(factor & 1));
  }
  return product >>> 0;
}
