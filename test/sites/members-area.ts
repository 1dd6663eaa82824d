// A site with a public part and members: each link to a member leads to the login, which is another URL each time.
import { anchor, page } from './html.ts';
import { type Site, type SiteModule, type Size } from './site.ts';
import { SitePlan } from './site-plan.ts';
import { marker, prose, range, title } from './words.ts';

export const membersArea: SiteModule = {
  name: 'members-area',
  resembles:
    'Public pages full of links to members, each of which redirects to /login?next=..., which is not forbidden.',
  build,
};

const membersPerPost = 3;

function build(size: Size): Site {
  const plan = new SitePlan();
  const posts = range(size === 'small' ? 45 : 800);
  const members = size === 'small' ? 130 : 500;
  const postPath = (post: number): string => `/posts/${title(`post ${post}`).toLowerCase().replace(' ', '-')}-${post}`;
  const memberPath = (member: number): string => `/members/${member}`;
  const loginOf = (path: string): string => `/login?next=${encodeURIComponent(path)}`;
  const login = marker('login');
  const loginPage = page({
    title: 'Log in',
    main: `<h1>Log in</h1><p>Please log in to see this page: ${prose('login', 1)} ${login}.</p><form method="post"><input name="user"><input name="password" type="password"></form>`,
  });
  // All have the same text. After 100 of them the others may end as a trap, without a request.
  const copies = { requests: [0, 1], or: ['trap'] } as const;

  plan.robots(['User-agent: *', 'Allow: /']);
  plan.control('/sitemap.xml', { status: 404 });
  plan.page(
    '/',
    page({
      title: 'Club',
      main: `<h1>Club</h1><p>${prose('club', 3)} ${marker('club')}.</p>${anchor(postPath(0), 'The newest')} ${anchor('/login', 'Log in')}`,
    }),
    marker('club'),
  );
  plan.copies('/login', ['/login'], loginPage, login);
  for (const post of posts) {
    const path = postPath(post);
    const has = marker(path);
    const who = range(membersPerPost).map((offset) => (post * membersPerPost + offset) % members);
    const next = [post + 1, 2 * post + 1, 2 * post + 2].filter((other) => other < posts.length);
    const main = `<article><h1>${title(`post ${post}`)}</h1><p>${prose(path, 5)} ${has}.</p><p>Liked by ${who.map((member) => anchor(memberPath(member), title(`member ${member}`))).join(', ')}.</p></article>
      <p>${anchor(loginOf(path), 'Log in to answer')}</p><p>${next.map((other) => anchor(postPath(other), title(`post ${other}`))).join(' ')}</p>`;
    plan.page(path, page({ title: title(`post ${post}`), main }), has);
    plan.copies('/login', [loginOf(path)], loginPage, login, copies);
  }
  for (const member of range(Math.min(members, posts.length * membersPerPost))) {
    const path = memberPath(member);
    plan.serve(path, { status: 302, headers: { location: `{{origin}}${loginOf(path)}` }, isFile: true });
    plan.expect(path, { kind: 'copy', group: '/login', has: login, or: copies.or }, copies.requests);
    plan.serve(loginOf(path), loginPage);
    plan.expect(loginOf(path), { kind: 'unlisted', why: 'Only a redirect leads there.' }, [0, 1]);
  }
  return plan.site({ latencyMs: [5, 30], noticesAllowed: ['trap'] });
}
