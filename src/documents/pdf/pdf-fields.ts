/** Values of form fields: pdf.js reads them with the annotations, not with the text of a page. */
import type { Piece } from './pdf-pieces.ts';

const fieldsMax = 2_000;
const lengthMax = 10_000;

/** Adds the value of each field that the page shows after the text to its left, or above it. */
export function withFields(pieces: readonly Piece[], annotations: readonly unknown[]): readonly Piece[] {
  const fields = annotations.slice(0, fieldsMax).flatMap(fieldPiece);
  if (fields.length === 0) return pieces;
  const after = new Map<Piece | undefined, Piece[]>();
  for (const field of fields) {
    const label = labelOf(field, pieces);
    after.set(label, [...(after.get(label) ?? []), field]);
  }
  return [...(after.get(undefined) ?? []), ...pieces.flatMap((piece) => [piece, ...(after.get(piece) ?? [])])];
}

function labelOf(field: Piece, pieces: readonly Piece[]): Piece | undefined {
  const upright = pieces.filter(({ angle }) => angle === 0);
  const beside = upright.filter(({ y, left }) => Math.abs(y - field.y) < field.size && left < field.left);
  const above = upright.filter(({ y }) => y > field.y);
  const [one = above.reduce<Piece | undefined>((low, piece) => (low && low.y < piece.y ? low : piece), undefined)] =
    beside.toSorted((left, right) => right.left - left.left);
  return one;
}

/** Bits of ISO 32000-1, 12.5.3: hidden, and not shown on screens. */
const hiddenFlags = 2 | 32;
/** 12.7.4.3: a password. */
const passwordFlag = 8_192;

function fieldPiece(annotation: unknown): Piece[] {
  if (typeof annotation !== 'object' || annotation === null) return [];
  const { subtype, fieldType, fieldValue, fieldFlags, annotationFlags, rect } = annotation as Readonly<
    Record<string, unknown>
  >;
  const isShown = (Number(annotationFlags) & hiddenFlags) === 0 && (Number(fieldFlags) & passwordFlag) === 0;
  if (subtype !== 'Widget' || (fieldType !== 'Tx' && fieldType !== 'Ch') || !isShown || !Array.isArray(rect)) return [];
  const values: readonly unknown[] = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  const text = values
    .filter((value) => typeof value === 'string')
    .join(', ')
    .slice(0, lengthMax)
    .replaceAll(/\s+/g, ' ')
    .trim();
  const [left = 0, bottom = 0, right = 0, top = 0] = rect.map(Number);
  if (text === '' || !(right > left) || !(top > bottom)) return [];
  const size = Math.min(top - bottom, 12);
  const y = top - bottom > size * 2 ? top - size : (top + bottom) / 2 - size * 0.3;
  const common = { isCode: false, isBold: false, url: undefined, tags: undefined };
  return [{ ...common, text, left, right: Math.min(right, left + text.length * size * 0.5), y, size, angle: 0 }];
}
