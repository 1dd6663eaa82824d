/** Returns true if the root of this XML is that of an XHTML page. */
export function isXhtml(xml: string): boolean {
  const start = xml.slice(0, searchedMax).replaceAll(/<!--[^]*?-->|<\?[^]*?\?>/g, '');
  const [root = ''] = /<[a-z_][^>]*>/i.exec(start) ?? [];
  return /^<html\s/.test(root) && /\sxmlns\s*=\s*(["'])http:\/\/www\.w3\.org\/1999\/xhtml\1/.test(root);
}

const searchedMax = 10_000;
