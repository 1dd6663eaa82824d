import { describe, expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { isThreadUrl } from '../measure/thread-url.ts';
import { toText } from '../write/to-text.ts';

const url = 'https://forum.example/threads/rakes.7/';
const read = (html: string, from = url): string => {
  const { nodes, skipped } = chooseContent(parseHtml(html), 'auto', null, from);
  return toText({ nodes, skipped }).replace(/\s+/g, ' ').trim();
};

const texts = [
  'Which rake is best for a lawn that has much moss in it, and why?',
  'One with tines of spring steel; the moss comes out with little force, see above.',
];
const [one = '', two = ''] = texts;
const whole = `Rakes Ann · May 2, 2024 ${one} Ben · May 3, 2024 ${two}`;

describe('content of a thread', () => {
  it.each<[forum: string, post: (author: string, date: string, text: string, at: number) => string]>([
    [
      'XenForo',
      (author, date, text, at) =>
        `<article class="message message--post" data-author="${author}" id="js-post-${at}"><span id="post-${at}"></span>
         <div class=message-cell--user><h4 class=message-name><a class=username>${author}</a></h4><h5>Member</h5></div>
         <header class=message-attribution><time datetime="2024-05-02T10:00">${date}</time><a href=#>#${at}</a></header>
         <article class=message-body><div class=bbWrapper>${text}</div></article><footer>Reply Like</footer></article>`,
    ],
    [
      'phpBB',
      (author, date, text, at) =>
        `<div id=p${at} class="post bg1"><dl class=postprofile><dt><a class=username href="memberlist.php?u=3">${author}</a></dt><dd>Posts: 3</dd></dl>
         <div class=postbody><div id=post_content${at}><h3><a href=#p${at}>Re: Rakes</a></h3><p class=author>by <a class=username>${author}</a> » <time>${date}</time></p>
         <div class=content>${text}</div></div><div class=signature>Sent from my barn</div></div></div>`,
    ],
    [
      'vBulletin',
      (author, date, text, at) =>
        `<table id=post${at}><tr><td class=thead><a href=#>#${at}</a> <span class=date>${date}</span></td></tr><tr><td>
         <a class=bigusername href="member.php?u=1"><span class=username>${author}</span></a></td>
         <td id=td_post_${at}><div id=post_message_${at}>${text}</div></td></tr></table>`,
    ],
    [
      'Invision',
      (author, date, text, at) =>
        `<article id=elComment_${at} class="cPost ipsComment"><aside><h3 class=cAuthorPane_author><a href="/profile/1-x/">${author}</a></h3><ul><li>240 posts</li></ul></aside>
         <div id=comment-${at}_wrap><div class=ipsComment_meta><a href=#><time datetime="2024-05-02">${date}</time></a></div>
         <div class=cPost_contentWrap><div data-role=commentContent class="ipsType_normal ipsType_richText">${text}</div></div></div></article>`,
    ],
    [
      'bbPress',
      (author, date, text, at) =>
        `<div id=post-${at} class="bbp-reply-header"><span class=bbp-reply-post-date>${date}</span><a href=# class=bbp-reply-permalink>#${at}</a></div>
         <div class="post-${at} reply type-reply hentry" id=reply-${at}><span class=post-date>${date}</span><div class=bbp-reply-author><a class=bbp-author-link href="/users/x/"><span class=bbp-author-name>${author}</span></a></div>
         <div class=bbp-reply-content>${text}</div></div>`,
    ],
    [
      'Discourse, for crawlers',
      (author, date, text, at) =>
        `<div itemprop=comment itemscope itemtype="http://schema.org/Comment" id=post_${at} class="topic-body crawler-post"><div class=crawler-post-meta>
         <span class=creator itemprop=author><a href="/u/x"><span itemprop=name>${author}</span></a></span><span class=crawler-post-infos><time datetime="2024-05-02">${date}</time><span itemprop=position>${at}</span></span></div>
         <div class=post itemprop=text>${text}</div><div class=crawler-post-actions>2 Likes</div></div>`,
    ],
    [
      'Vanilla',
      (author, date, text, at) =>
        `<li id=Comment_${at} class="Item ItemComment"><div class=Item-Header><span class=Author><a class=Username href="/profile/x">${author}</a></span><span class=DateCreated><time datetime="2024-05-02">${date}</time></span></div>
         <div class=Item-Body><div class="Message userContent">${text}</div></div></li>`,
    ],
    [
      'Steam',
      (author, date, text, at) =>
        `<div id=comment_${at} class="commentthread_comment"><a class="hoverunderline commentthread_author_link" href="https://steam.example/profiles/1"><bdi>${author}</bdi></a>
         <span class=commentthread_comment_timestamp>${date}</span><div class=commentthread_comment_text>${text}</div><span>#${at}</span></div>`,
    ],
  ])('of %s is every post once, with its author and date', (_, post) => {
    const html = `<div class=notices>No sales here, please, and be kind to each other.</div><h1>Rakes</h1>
      ${post('Ann', 'May 2, 2024', one, 1)}${post('Ben', 'May 3, 2024', two, 2)}<div>Similar threads: <a href=/x>Hoes</a></div>`;
    expect(read(html)).toBe(whole);
  });

  const comment = (at: number, author: string, text: string, inner = ''): string =>
    `<div id=thing_t1_${at}a class=comment><p class=tagline><a class=author href="/user/x">${author}</a> <time datetime="2024-05-02T00:00:00">2 years ago</time></p><div class=usertext-body><div class=md>${text}</div></div><div class=child>${inner}</div></div>`;

  it('keeps answers that are nested in others, each as a post', () => {
    expect(read(`<h1>Rakes</h1>${comment(1, 'Ann', one, comment(2, 'Ben', two))}`)).toBe(
      `Rakes Ann · 2024-05-02 ${one} Ben · 2024-05-02 ${two}`,
    );
  });

  it('keeps a first post that is not marked as one', () => {
    const first = 'I have a lawn full of moss, and a rake that is too weak. What else could I do about the moss?';
    expect(read(`<h1>Rakes</h1><div><p>${first}</p></div>${comment(1, 'Ann', one)}${comment(2, 'Ben', two)}`)).toBe(
      `Rakes ${first} Ann · 2024-05-02 ${one} Ben · 2024-05-02 ${two}`,
    );
  });

  it('leaves out quotes of the posts before, and keeps others', () => {
    const quoting = `<blockquote class=bbCodeBlock><div>Ann said:</div><div>${one}</div></blockquote>${two}<blockquote>Moss likes shade.</blockquote>`;
    expect(read(`<h1>Rakes</h1>${comment(1, 'Ann', one)}${comment(2, 'Ben', quoting)}`)).toBe(
      `Rakes Ann · 2024-05-02 ${one} Ben · 2024-05-02 ${two} Moss likes shade.`,
    );
  });

  it('leaves out remarks on questions and answers', () => {
    const post = (id: string, author: string, text: string, remark: string): string =>
      `<div id=${id}><div class=js-post-body>${text}</div><div class=user-details><a href="/users/1/x">${author}</a></div><ul><li id=comment-${remark.length}><span class=comment-copy>${remark}</span> – <a class=comment-user href="/users/2/y">Cem</a></li></ul></div>`;
    const html = `<h1>Rakes</h1>${post('question', 'Ann', one, 'Which lawn?')}${post('answer-2', 'Ben', two, 'This is right.')}`;
    expect(read(html, 'https://lawns.example/questions/12/rakes')).toBe(`Rakes Ann ${one} Ben ${two}`);
  });

  it('gives up a page of nested marks without posts', () => {
    const depth = 400;
    const html = `${'<div id=post-1>'.repeat(depth)}${'<b>x</b>'.repeat(20_000)}${'</div>'.repeat(depth)}`;
    expect(read(html)).toContain('x');
  });
});

describe('the address of a thread', () => {
  it.each([
    'https://forum.example/x',
    'https://community.example.com/t/rakes/12',
    'https://example.com/forum/rakes',
    'https://example.com/showthread.php?t=12',
    'https://example.com/topic/123-rakes/',
    'https://example.com/index.php?topic=589061.0',
    'https://example.com/questions/12/rakes',
    'https://www.reddit.com/r/rakes/comments/1rl4mew/x/',
  ])('is %s', (address) => {
    expect(isThreadUrl(address)).toBe(true);
  });

  it.each([
    'https://example.com/topic/rakes',
    'https://example.com/topics/',
    'https://example.com/blog/forum-rules',
    '',
  ])('is not %s', (address) => {
    expect(isThreadUrl(address)).toBe(false);
  });

  it('is its posts where what else the page says is longer', () => {
    const posts = [one, two].map(
      (text, at) => `<div id=post-${at}><b class=author>Ann</b><div class=cooked>${text}</div></div>`,
    );
    const advice = Array.from(
      { length: 8 },
      (_, at) => `<p>How to install this app on a telephone of kind ${at}.</p>`,
    ).join('');
    expect(read(`<h1>Rakes</h1>${posts.join('')}<div>${advice}</div>`)).toBe(`Rakes Ann ${one} Ann ${two}`);
  });
});
