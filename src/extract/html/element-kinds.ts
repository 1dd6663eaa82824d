/** Sets of element names that the writers and the choice of content share. */

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Never text of the page, whatever a client includes or excludes. */
export const textlessElements = names(
  'script style noscript template head title meta link base svg canvas iframe frame noframes object embed applet ' +
    'audio video select datalist textarea input param source track map area',
);

/** Elements that start and end their own line. */
export const blockElements = names(
  'address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section summary ' +
    'table caption colgroup tbody td tfoot th thead tr ul',
);

export const headingElements = names('h1 h2 h3 h4 h5 h6');
