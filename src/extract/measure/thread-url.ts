/** Returns true for the address of a thread: forums have few conventions for host and path. */
export function isThreadUrl(url: string): boolean {
  return url.length <= urlLengthMax && (forumHost.test(url) || threadPath.test(url) || codeHost.test(url));
}

const urlLengthMax = 2_000;
const forumHost =
  /^https?:\/\/(?:[^/]*\.)?(?:[^/.]*forums?|boards?|bbs|discuss|discussions?|discourse|community|talk)\d?\./i;
/** Issues, pull requests and discussions of a repository, also on an installation of one's own. */
const codeHost =
  /^https?:\/\/(?:[^/]*\.)?(?:git|code|forge|github|gitlab|codeberg|gitea|forgejo)\.[^/]+\/[^/?#]+\/[^/?#]+\/(?:issues|pulls?|discussions)\/\d/i;
/** `/topics/coffee` is a section of a magazine, `/topic/1234-coffee` a thread. */
const threadPath =
  /^https?:\/\/[^/]*\/(?:[^?#]*\/)?(?:(?:forums?|threads?|viewtopic|showthread|showtopic|discussions?|boards?)(?:[/?.]|$)|thread-[^/?#]|(?:td|m)-p\/\d|d\/\d+-|item\?id=\d+$|[^/?#]*\btopic,\d|(?:topics?|questions|t|talk)\/(?:[^/?#]*\/)?\d+|r\/[^/?#]+\/comments\/|s\/[a-z\d]{6}\/[^/]|-\/issues\/\d|archives\/list\/[^/?#]+\/thread\/|[^/?#]*[?&]topic=\d)/i;
