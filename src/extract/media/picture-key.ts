/** Compares addresses of images without what only states their size and format. */

/** Returns the same text for two sizes of a picture. Only compares; it is no address. */
export function pictureKey(address: string): string {
  const [path = '', query] = address.replace(/#.*$/s, '').split('?', 2);
  const bare = path
    .replace(/^https?:/i, '')
    .replace(sizedName, '$1')
    .split('/')
    .filter((segment, at, all) => at === all.length - 1 || !isTransformation(segment))
    .join('/');
  const kept = query?.split('&').filter((part) => !sizeParameter.test(part));
  return kept === undefined || kept.length === 0 ? bare : `${bare}?${kept.join('&')}`;
}

/** `photo-300x200.jpg` of WordPress, `photo_300x.jpg` of Shopify. */
const sizedName = /[-_]\d{1,4}x\d{0,4}(?:_crop_[a-z]+)?(\.[a-z]{3,4})$/i;
const sizeParameter =
  /^(?:amp;)?(?:w|h|q|width|height|size|quality|fit|crop|dpr|format|fm|auto|sw|sh|wid|hei|resize|imwidth|imheight|scale|strip|ssl|fl|nw)=/i;

/** `w_400,h_300,c_fill` of Cloudinary and Wix, `width=300,quality=80` of Cloudflare, `fit-in/300x200` of Thumbor. */
function isTransformation(segment: string): boolean {
  return /^(?:fit-in|\d{1,4}x\d{1,4})$/.test(segment) || segment.split(',').every((part) => sizeOption.test(part));
}

const sizeOption = /^(?:w|h|c|q|f|ar|dpr|g|al|usm|enc|fl|blur|width|height|quality|format|fit)[_=][\w.:-]*$/i;
