/** What a page hides. Readers open folded answers and tabs, so those are content. */
import { foldedLengthMin, isHidden, isHiddenByName } from './hidden-elements.ts';
import type { Drop, Shield } from './rule.ts';

export const hiddenDrops = [
  {
    name: 'hidden',
    elements: 'every',
    needs: 'hiding',
    isStrict: true,
    // A hidden formula is the readable form of a picture. If most of the page is hidden, a script shows it later. Longer
    // elements that a class hides are often tabs or answers that a script opens.
    when: ({ box, element, share, place }) =>
      isHidden(element)
        ? !place.showsHidden && !box.hasMath && share < hiddenShareMax
        : box.textLength < foldedLengthMin && isHiddenByName(element),
  },
] as const satisfies readonly Drop[];

export const hiddenShields: readonly Shield[] = [
  {
    name: 'folded',
    from: ['hidden', 'end-section', 'menu', 'named-navigation'],
    when: ({ isFolded }) => isFolded,
  },
];

const hiddenShareMax = 0.5;
