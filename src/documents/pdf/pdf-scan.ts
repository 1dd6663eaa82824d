/** What is needed of a page of pdf.js. */
interface ScannedPage {
  readonly view: readonly number[];
  getOperatorList(): Promise<{ readonly fnArray: readonly number[]; readonly argsArray: readonly unknown[] }>;
}

const operatorsMax = 1_000;
/** Numbers of `OPS` of pdf.js. */
const [save, restore, transform, paintForm] = [10, 11, 12, 74];

/**
 * Returns true for a page without text that draws one thing over most of it: a scan. The picture itself is not decoded
 * (`maxImageSize`), so the list of operators has the place for it, but not the picture.
 */
export async function isPictureOnly(page: ScannedPage): Promise<boolean> {
  const list = await page.getOperatorList().catch(() => undefined);
  if (!list) return false;
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
  let [area, drawn] = [1, 0];
  const above: number[] = [];
  for (const [at, operator] of list.fnArray.slice(0, operatorsMax).entries()) {
    if (operator === save || operator === paintForm) above.push(area);
    else if (operator === restore || operator === paintForm + 1) area = above.pop() ?? 1;
    else if (operator === transform) {
      const [a = 1, b = 0, c = 0, d = 1] = list.argsArray[at] as readonly number[];
      area *= Math.abs(a * d - b * c);
      drawn = Math.max(drawn, area);
    }
  }
  return drawn > Math.abs((right - left) * (top - bottom)) / 2;
}
