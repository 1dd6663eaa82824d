/** Lines and sections whose words say that they are no part of the text. */
import { canFollow, endShareMax } from './asked.ts';
import { isInterfaceLabel } from './interface-labels.ts';
import { isCredit } from './picture-credits.ts';
import type { Drop } from './rule.ts';
import { isEnd } from './section-heads.ts';
import { isSiteLine } from './site-lines.ts';
import { tidyHeading } from '../text/page-title.ts';

export const lineDrops = [
  { name: 'interface-label', isStrict: true, when: isInterfaceLabel },
  {
    name: 'end-section',
    needs: 'heading',
    when: ({ box, element, share, isMostlyLinks, place }) =>
      (isMostlyLinks ? canFollow(box.textLength, place) : share < endShareMax) && isEnd(box, element, place.ends),
  },
  { name: 'site-line', kinds: ['article', 'other'], elements: ['p', 'div', 'li'], when: isSiteLine },
  {
    name: 'picture-credit',
    elements: ['p', 'figcaption', 'small', 'cite', 'em', 'span', 'div'],
    when: isCredit,
  },
  {
    name: 'unseen-heading',
    // Told to programs for the blind alone, it names what readers see: a menu, a gallery.
    elements: ['h2', 'h3', 'h4', 'h5', 'h6'],
    when: ({ element, place }) =>
      unseenNames.test(element.attribs['class'] ?? '') && !place.title.includes(tidyHeading(element)),
  },
] as const satisfies readonly Drop[];

const unseenNames =
  /(?:^|[\s_-])(?:sr-only|visually-?hidden|screen-?reader|visual-?hide|element-invisible|assistive-text)/;
