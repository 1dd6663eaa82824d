/** Leaves out what surrounds the content of most pages: menus, banners, form controls and hidden elements. */
import { boxesAfterEnd } from './after-end.ts';
import { Asked, Paragraphs } from './asked.ts';
import type { Place } from './asked.ts';
import { headingElements } from '../html/element-kinds.ts';
import { attributeOf } from '../html/nodes.ts';
import { EndHeadings } from './end-headings.ts';
import { isOrderForm, writeChoices } from './product-choices.ts';
import { isLineGutter } from './line-gutter.ts';
import type { Box } from '../measure/measure-page.ts';
import type { PageKind } from '../measure/page-kind.ts';
import type { Skip } from './rule.ts';
import type { RuleTable } from './table.ts';

/** With `showsHidden`, hidden elements stay. */
export function leaveOut(
  page: Box,
  about: { readonly kind: PageKind; readonly title: string },
  skip: Skip,
  rules: RuleTable,
  showsHidden = false,
): void {
  const place: Place = {
    ...about,
    article: undefined,
    isInOrder: false,
    isInComments: false,
    heading: undefined,
    page,
    ends: new EndHeadings(about.kind),
    paragraphs: new Paragraphs(page),
    showsHidden,
  };
  visit(page, place, {
    skip,
    rules,
    findsEnd: rules.has('after-end'),
  });
}

interface Use {
  readonly skip: Skip;
  readonly rules: RuleTable;
  readonly findsEnd: boolean;
}

/** Returns true if any text stays. */
function visit(outer: Box, place: Place, use: Use): boolean {
  place.ends.proseBefore += outer.ownLineLength;
  let hasText = outer.ownLength > 0;
  const end = use.findsEnd ? boxesAfterEnd(outer.boxes, place) : undefined;
  let at = -1;
  for (const box of outer.boxes) {
    const { element } = box;
    at++;
    if (element === undefined) continue;
    if (end !== undefined && at >= end.start && at < end.end) {
      use.skip(box, 'after-end');
      continue;
    }
    // In code, `comment` and `label` are syntax colours.
    if (element.name === 'pre' || element.name === 'math') {
      if (element.name === 'pre' && use.rules.has('line-numbers') && isLineGutter(element))
        use.skip(box, 'line-numbers');
      else hasText = true;
      continue;
    }
    if (headingElements.has(element.name)) place.ends.pass(element);
    const asked = new Asked(box, element, outer, place);
    const rule = use.rules.ruleAgainst(asked);
    if (rule !== undefined) {
      use.skip(box, rule);
    } else {
      const inside = placeInside(asked);
      const hasTextInside = visit(box, inside, use);
      if (inside.isInOrder && !place.isInOrder) writeChoices(element);
      hasText ||= hasTextInside;
      // Only its bullet would be left.
      if (element.name === 'li' && !hasTextInside && !box.hasImage && use.rules.has('bare')) use.skip(box, 'bare');
    }
  }
  return hasText;
}

function placeInside({ box, element, group, place }: Asked): Place {
  const { name } = element;
  const article =
    name === 'article' || name === 'main' || attributeOf(element, 'role') === 'main' ? box : place.article;
  const isInOrder = place.isInOrder || (name === 'form' && isOrderForm(element, place.kind));
  const isHeading = headingElements.has(name) || name === 'summary' || name === 'dt';
  const heading = place.heading ?? (isHeading ? box : undefined);
  const isInComments = place.isInComments || (group === 'comments' && !box.hasH1);
  // Most elements change nothing, so reuse the object.
  return article === place.article &&
    heading === place.heading &&
    isInComments === place.isInComments &&
    isInOrder === place.isInOrder
    ? place
    : { ...place, article, isInComments, isInOrder, heading };
}
