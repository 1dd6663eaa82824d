/** What a page hides. Readers open folded answers and tabs, so those are content. */
import { foldedLengthMin, isFurtherEntry, isHidden, isHiddenByName } from './hidden-elements.ts';
import type { Drop, Shield } from './rule.ts';

export const hiddenDrops = [
  {
    name: 'hidden',
    elements: 'every',
    isStrict: true,
    when: ({ element, place }) => !place.showsHidden && isHidden(element),
  },
  {
    name: 'hidden-by-class',
    isStrict: true,
    // Longer elements are often tabs or answers that a script opens.
    when: ({ box, element }) => box.textLength < foldedLengthMin && isHiddenByName(element),
  },
] as const satisfies readonly Drop[];

export const hiddenShields: readonly Shield[] = [
  {
    name: 'folded',
    from: ['hidden', 'hidden-by-class', 'end-section', 'menu', 'named-menu', 'named-navigation'],
    when: ({ isFolded }) => isFolded,
  },
  { name: 'formula', from: ['hidden'], when: ({ box }) => box.hasMath },
  {
    name: 'hidden-page',
    from: ['hidden'],
    // If most of the page is hidden, a script shows it later.
    when: ({ box, share, place }) => share >= hiddenShareMax && place.page.textLength - box.textLength < shownLengthMin,
  },
  {
    name: 'further-entry',
    from: ['hidden'],
    when: ({ box, outer, place }) => isFurtherEntry(box, outer, place.likes),
  },
];

const hiddenShareMax = 0.5;
const shownLengthMin = 1000;
