import { describe, expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { isThreadUrl } from '../measure/thread-url.ts';
import { toText } from '../write/markdown/to-markdown.ts';

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

describe('threads', () => {
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
  ])('chooseContent: writes each post of %s once with author and date', (_, post) => {
    const html = `<div class=notices>No sales here, please, and be kind to each other.</div><h1>Rakes</h1>
      ${post('Ann', 'May 2, 2024', one, 1)}${post('Ben', 'May 3, 2024', two, 2)}<div>Similar threads: <a href=/x>Hoes</a></div>`;
    expect(read(html)).toBe(whole);
  });

  it.each<[forum: string, url: string, post: (author: string, date: string, text: string, at: number) => string]>([
    [
      'Flarum',
      'https://talk.example/d/12-rakes',
      (author, date, text, at) =>
        `<div class=PostStream-item data-index=${at} data-number=${at} data-id=9${at} data-type=comment><article class="CommentPost Post"><div><header class=Post-header><ul>
         <li class=item-user><div class=PostUser><h3 class=PostUser-name><a href="/u/${author}"><span class=Avatar>${author.at(0)}</span><span class=username>${author}</span></a></h3></div></li>
         <li class=item-meta><div class="Dropdown PostMeta"><a class=Dropdown-toggle><time pubdate datetime="2024-05-02T10:00:00+00:00">${date}</time></a><div class=Dropdown-menu><span class=PostMeta-number>Post #${at}</span></div></div></li></ul></header>
         <div class=Post-body><p>${text}</p></div><aside class=Post-actions><ul><li>Reply</li></ul></aside></div></article></div>`,
    ],
    [
      'NodeBB',
      'https://nodes.example/topic/12/rakes',
      (author, date, text, at) =>
        `<li component=post class="posts-container" data-index=${at} data-pid=9${at} data-username="${author}" itemprop=comment itemtype="http://schema.org/Comment" itemscope><a component="post/anchor" id=${at}></a>
         <meta itemprop=datePublished content="${date}T10:00:00.000Z"><div class=post-header><a href="/user/${author}"><span class=avatar>${author.at(0)}</span></a><a class=fw-bold href="/user/${author}">${author}</a>
         <span class=badge>Wizard</span><a class=permalink href="/post/9${at}"><span class=timeago title="${date}T10:00:00.000Z"></span></a><span>#${at}</span></div>
         <div class=content component="post/content" itemprop=text><p>${text}</p></div><div class=post-footer><a>1 Reply</a></div></li>`,
    ],
    [
      'MyBB',
      'https://my.example/showthread.php?tid=12',
      (author, date, text, at) =>
        `<a name=pid${at}></a><div class="post classic" id=post_${at}><div class=post_author><div class=author_avatar><a href="member.php?action=profile&amp;uid=3"><img src=/a.png></a></div>
         <div class=author_information><strong><span class=largetext><a href="member.php?action=profile&amp;uid=3">${author}</a></span></strong><br><span class=smalltext>Junior Member</span></div><div class=author_statistics>Posts: 3<br>Threads: 1<br>Joined: Mar 2020</div></div>
         <div class=post_content><div class=post_head><div class=float_right><strong><a href="#pid${at}">#${at}</a></strong></div><span class=post_date>${date}</span></div>
         <div class="post_body scaleimages" id=pid_${at}>${text}</div><div class=post_meta></div></div><div class=post_controls><a>Find</a> <a>Reply</a></div></div>`,
    ],
    [
      'SMF',
      'https://smf.example/index.php?topic=12.0',
      (author, date, text, at) =>
        `<div class=windowbg id=msg12${at}><div class=post_wrapper><div class=poster><h4><a href="/index.php?action=profile;u=1">${author}</a></h4><ul class=user_info><li class=membergroup>Full Member</li><li class=postcount>Posts: 3</li></ul></div>
         <div class=postarea><div class=keyinfo><div id=subject_12${at} class=subject_title><a href=#m>Re: Rakes</a></div><span class=page_number>#${at}</span><div class=postinfo><a href=#m rel=nofollow class=smalltext>${date}</a></div></div>
         <div class=post><div class=inner data-msgid=12${at} id=msg_12${at}>${text}</div></div></div><div class=moderatorbar><div class=signature>Sent from my barn</div></div></div></div>`,
    ],
    [
      'SMF 2.0',
      'https://smf.example/index.php/topic,12.0.html',
      (author, date, text, at) =>
        `<div class=windowbg><div class=post_wrapper><div class=poster><h4><a href="/index.php?action=profile;u=1">${author}</a></h4><ul class=reset><li class=postcount>Posts: 3</li></ul></div>
         <div class=postarea><div class=flow_hidden><div class=keyinfo><h5 id=subject_12${at}><a href=#m>Re: Rakes</a></h5><div class=smalltext>&#171; <strong>Reply #${at} on:</strong> ${date} &#187;</div><div id=msg_12${at}_quick_mod></div></div></div>
         <div class=post><div class=inner id=msg_12${at}>${text}</div></div></div><div class=moderatorbar><div class=signature id=msg_12${at}_signature>Sent from my barn</div></div></div></div>`,
    ],
    [
      'Khoros',
      'https://firm.example/t5/Garden-Tools/Rakes/td-p/12',
      (author, date, text, at) =>
        `<div id=messageview2_${at} class="lia-panel-message"><div class="lia-message-view-display lia-message-view lia-message-view-forum-message"><div class=lia-message-author-avatar-username><a class="lia-link-navigation lia-user-name-link" href="/t5/user/viewprofilepage/user-id/3"><span class="">${author}</span></a>
         <div class=lia-message-author-rank>Helper</div></div><span class="DateTime lia-message-posted-on lia-component-common-widget-date"><span class=local-date>${date}</span></span>
         <div id=bodyDisplay_${at} class=lia-message-body><div class=lia-message-body-content><p>${text}</p></div></div><div class=lia-quilt-column-footer>1 Kudo <a>Reply</a></div></div></div>`,
    ],
    [
      'Stack Exchange',
      'https://stack.example/questions/12/rakes',
      (author, date, text, at) =>
        `<div id=${at === 1 ? 'question' : `answer-9${at}`} class="${at === 1 ? 'question' : 'answer'} js-post" itemscope itemtype="https://schema.org/${at === 1 ? 'Question' : 'Answer'}"><div class=post-layout><div class=votecell><div itemprop=upvoteCount>5</div></div><div class=postcell><div class="s-prose js-post-body" itemprop=text><p>${text}</p></div>
         <div class=post-signature><div class=user-info><div class=user-action-time>edited <span title="2024-06-01 10:00:00Z" class=relativetime>Jun 1, 2024 at 10:00</span></div><div class=user-details><a href="/users/9/zoe">Zoe</a></div></div></div>
         <div class="post-signature owner"><div class=user-info><div class=user-action-time>asked <time itemprop=dateCreated datetime="2024-05-02T10:00:00"><span class=relativetime>${date}</span></time></div><div class=user-details itemprop=author itemscope itemtype="http://schema.org/Person"><a href="/users/3/a">${author}</a><span class=reputation-score>1,234</span></div></div></div></div></div></div>`,
    ],
    [
      'Hacker News',
      'https://news.example/item?id=12',
      (author, date, text, at) =>
        `<table><tr class="athing comtr" id=1234${at}><td><table><tr><td class=ind indent=0></td><td class=votelinks></td><td class=default><div><span class=comhead><a href="user?id=${author}" class=hnuser>${author}</a> <span class=age title="2024-05-02T10:00:00 1714644000"><a href="item?id=1234${at}">${date}</a></span> <span class=navs>| <a href=#n>next</a> <a class=togg>[–]</a></span></span></div>
         <div class=comment><div class="commtext c00">${text}</div><div class=reply><p><font size=1><u><a href=reply>reply</a></u></font></div></div></td></tr></table></td></tr></table>`,
    ],
    [
      'Lemmy',
      'https://forum.example/post/12',
      (author, date, text, at) =>
        `<li class="comment list-unstyled"><article id=comment-9${at} class="details comment-node py-2"><div class=ms-2><div class="d-flex flex-wrap text-muted small"><button class=btn>–</button><a class="person-listing d-inline-flex" href="/u/${author}"><span>${author}</span></a><span class=badge>OP</span><span>${at}</span>
         <span data-tippy-content="Thursday" class="moment-time pointer unselectable">${date}</span></div><div class=comment-content><div class=md-div><p>${text}</p></div></div></div></article></li>`,
    ],
  ])('chooseContent: writes each post of the default template of %s once with author and date', (_, from, post) => {
    const html = `<div class=notices>No sales here, please, and be kind to each other.</div><h1>Rakes</h1>
      ${post('Ann', '2024-05-02', one, 1)}${post('Ben', '2024-05-03', two, 2)}<div>Similar threads: <a href=/x>Hoes</a></div>`;
    expect(read(html, from)).toBe(`Rakes Ann · 2024-05-02 ${one} Ben · 2024-05-03 ${two}`);
  });

  const comment = (at: number, author: string, text: string, inner = ''): string =>
    `<div id=thing_t1_${at}a class=comment><p class=tagline><a class=author href="/user/x">${author}</a> <time datetime="2024-05-02T00:00:00">2 years ago</time></p><div class=usertext-body><div class=md>${text}</div></div><div class=child>${inner}</div></div>`;

  it('chooseContent: keeps nested answers as posts', () => {
    expect(read(`<h1>Rakes</h1>${comment(1, 'Ann', one, comment(2, 'Ben', two))}`)).toBe(
      `Rakes Ann · 2024-05-02 ${one} Ben · 2024-05-02 ${two}`,
    );
  });

  it.each([
    ['P', 'Paul', 'Paul'],
    ['Q', 'Q', 'Q'],
  ])('chooseContent: for the avatar letter %s and the name %s, writes the author once', (initial, name, author) => {
    const post = (at: number): string =>
      `<article id=js-post-${at} class=message><div class=message-user><a class="avatar username" href="/members/x.1/"><span>${initial}</span></a>
       <h4 class=message-name><a class=username href="/members/x.1/">${name}</a></h4></div><div class=bbWrapper>${texts[at]}</div></article>`;
    expect(read(`<h1>Rakes</h1>${post(0)}${post(1)}`)).toBe(`Rakes ${author} ${one} ${author} ${two}`);
  });

  it('chooseContent: keeps an unmarked first post', () => {
    const first = 'I have a lawn full of moss, and a rake that is too weak. What else could I do about the moss?';
    expect(read(`<h1>Rakes</h1><div><p>${first}</p></div>${comment(1, 'Ann', one)}${comment(2, 'Ben', two)}`)).toBe(
      `Rakes ${first} Ann · 2024-05-02 ${one} Ben · 2024-05-02 ${two}`,
    );
  });

  it('chooseContent: drops quotes of earlier posts, and keeps others', () => {
    const quoting = `<blockquote class=bbCodeBlock><div>Ann said:</div><div>${one}</div></blockquote>${two}<blockquote>Moss likes shade.</blockquote>`;
    expect(read(`<h1>Rakes</h1>${comment(1, 'Ann', one)}${comment(2, 'Ben', quoting)}`)).toBe(
      `Rakes Ann · 2024-05-02 ${one} Ben · 2024-05-02 ${two} Moss likes shade.`,
    );
  });

  it('chooseContent: keeps comments on questions and answers behind what they are about', () => {
    const post = (id: string, author: string, text: string, remark: string): string =>
      `<div id=${id}><div class=js-post-body>${text}</div><div class=user-details><a href="/users/1/x">${author}</a></div><ul><li id=comment-${remark.length}><span class=comment-copy>${remark}</span> – <a class=comment-user href="/users/2/y">Cem</a></li></ul></div>`;
    const html = `<h1>Rakes</h1>${post('question', 'Ann', one, 'Which lawn?')}${post('answer-2', 'Ben', two, 'This is right.')}`;
    expect(read(html, 'https://lawns.example/questions/12/rakes')).toBe(
      `Rakes Ann ${one} Cem Which lawn? Ben ${two} Cem This is right.`,
    );
  });

  it('chooseContent: keeps posts of nobody that are marked like others, or that have comments', () => {
    const answer = (at: number, text: string, signed: string): string =>
      `<div class=answer id=answer-${at}><div class=post-text>${text}</div>${signed}</div>`;
    const ann = '<a class=username href="/users/1/x">Ann</a>';
    const remark = `<div id=comment-8><span class=comment-copy>Why?</span> <a class=username href="/users/2/y">Cem</a></div>`;
    const question = `<div id=question><div class=post-text>Which rake?</div></div>`;
    expect(
      read(
        `<h1>Rakes</h1>${question}${answer(2, two, ann)}${answer(3, 'Use none.', '')}`,
        'https://a.example/questions/12/x',
      ),
    ).toBe(`Rakes Which rake? Ann ${two} Use none.`);
    expect(
      read(
        `<h1>Rakes</h1>${answer(2, 'Steel.', remark)}<ul><li id=reply-3><div class=reply-text>Wood.</div>${remark.replace('8', '9')}</li></ul>`,
        'https://a.example/questions/12/x',
      ),
    ).toBe('Rakes Steel. Cem Why? Wood. Cem Why?');
  });

  it('chooseContent: writes where the title leads, the category and the tags of a thread', () => {
    const title =
      '<h2 class=topic><a href="https://barn.example/rakes">Rakes of ash</a></h2><a href=/c><span class="badge-category__name">Tools</span></a><a rel=tag href=/t/ash>ash</a>';
    const posts = [one, two].map(
      (text, at) => `<div id=post-${at}><b class=author>Ann</b><div class=cooked>${text}</div></div>`,
    );
    const html = `<head><title>Rakes of ash | Forum</title></head>${title}${posts.join('')}`;
    expect(read(html)).toBe(`Rakes of ash barn.example · Tools · ash Ann ${one} Ann ${two}`);
    expect(read(html.replace('barn.', ''))).not.toContain('barn.example');
  });

  it('chooseContent: keeps the files of a post, whatever the name of their box', () => {
    const posts = [one, two].map(
      (text, at) =>
        `<div id=post-${at}><b class=author>Ann</b><div class=cooked>${text}</div><div id=post_${at}_footer class=attachments><a href=/f/${at}>plan-${at}.png</a> (48 kB)</div></div>`,
    );
    expect(read(`<h1>Rakes</h1>${posts.join('')}`)).toBe(
      `Rakes Ann ${one} plan-0.png (48 kB) Ann ${two} plan-1.png (48 kB)`,
    );
  });

  it('chooseContent: stays linear on nested post marks without posts', () => {
    const depth = 400;
    const html = `${'<div id=post-1>'.repeat(depth)}${'<b>x</b>'.repeat(20_000)}${'</div>'.repeat(depth)}`;
    expect(read(html)).toContain('x');
  });
});

describe('isThreadUrl', () => {
  it.each([
    'https://github.com/heu/rakes/issues/12',
    'https://git.farm.example/heu/rakes/pulls/12',
    'https://git.a.example/heu/rakes/-/issues/12',
    'https://lists.a.example/archives/list/rakes@a.example/thread/ABC/',
    'https://forum.example/x',
    'https://www.rakeforum.example/rakes/12-ash.html',
    'https://community.example.com/t/rakes/12',
    'https://example.com/forum/rakes',
    'https://example.com/showthread.php?t=12',
    'https://example.com/topic/123-rakes/',
    'https://example.com/index.php?topic=589061.0',
    'https://example.com/questions/12/rakes',
    'https://www.reddit.com/r/rakes/comments/1rl4mew/x/',
  ])('isThreadUrl: is true for %s', (address) => {
    expect(isThreadUrl(address)).toBe(true);
  });

  it.each([
    'https://a.example/issues/12',
    'https://github.com/heu/rakes/issues',
    'https://example.com/topic/rakes',
    'https://example.com/topics/',
    'https://example.com/blog/forum-rules',
    '',
  ])('isThreadUrl: is false for %j', (address) => {
    expect(isThreadUrl(address)).toBe(false);
  });

  it('chooseContent: takes the posts of a thread when other text is longer', () => {
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
