import { describe, expect, it } from 'vitest';
import { chooseContent } from '../content/main-content.ts';
import { parseHtml } from '../html/parse-html.ts';
import { toText } from '../write/markdown/to-markdown.ts';

const read = (html: string, from = 'https://forum.example/threads/rakes.7/'): string => {
  const { nodes, skipped } = chooseContent(parseHtml(html), 'auto', null, from);
  return toText({ nodes, skipped }).replace(/\s+/g, ' ').trim();
};

const one = 'Which rake is best for a lawn that has much moss in it, and why? I have one with tines of wood.';
const two = 'One with tines of spring steel; the moss comes out with little force, see above.';

type Template = (author: string, text: string, at: number) => string;

describe('forums with posts in a list, or without elements for author and date', () => {
  it.each<[forum: string, date: string, post: Template, list: string]>([
    [
      'XenForo 1',
      'May 2, 2024',
      (author, text, at) =>
        `<li id=post-${at} class="message " data-author="${author}"><div class=messageUserInfo><h3 class=userText><a class=username href="members/x.1/">${author}</a> <em class=userTitle>Member</em></h3><dl class=pairsJustified><dt>Joined:</dt><dd>Mar 3, 2019</dd></dl></div>
         <div class="messageInfo primaryContent"><div class=messageContent><article><blockquote class="messageText ugc baseHtml">${text}</blockquote></article></div>
         <div class=messageMeta><span class=authorEnd><a class="username author">${author}</a>,</span> <a class=datePermalink><span class=DateTime title="May 2, 2024 at 9:00 PM">May 2, 2024</span></a> <a class=postNumber>#${at}</a></div></div></li>`,
      'ol class=messageList',
    ],
    [
      'vBulletin 4',
      '05-02-2024, 04:40 PM',
      (author, text, at) =>
        `<li class="postbitlegacy postbitim" id=post_${at}><div class=posthead><span class="postdate old"><span class=date>05-02-2024, <span class=time>04:40 PM</span></span></span> <a class=postcounter>#${at}</a></div>
         <div class=postdetails><div class=userinfo><a class="username offline" href="member.php?u=1"><strong>${author}</strong></a> <dl class=userstats><dt>Join Date</dt><dd>Dec 5, 2005</dd></dl></div>
         <div class=postbody><div class=content><div id=post_message_${at}><blockquote class="postcontent restore">${text}</blockquote></div></div></div></div></li>`,
      'ol id=posts class=posts',
    ],
    [
      'vBulletin 3',
      '2nd May 2024, 16:26',
      (author, text, at) =>
        `<table id=post${at}><tr><td class=thead><a name=post${at}><img alt=Old></a> 2nd May 2024, 16:26 </td><td class=thead>#<a id=postcount${at}><strong>${at}</strong></a></td></tr>
         <tr><td><div id=postmenu_${at}><a class=bigusername href="member.php?u=1">${author}</a></div><div class=smallfont><div>Join Date: Mar 2016</div><div>Posts: 1</div></div></td><td id=td_post_${at}><div id=post_message_${at}>${text}</div></td></tr></table>`,
      'div id=posts',
    ],
    [
      'FluxBB',
      '2024-05-02 10:59:47',
      (author, text, at) =>
        `<div id=p21${at} class="blockpost rowodd"><h2><span><span class=conr>#${at}</span> <a href="viewtopic.php?pid=1#p1">2024-05-02 10:59:47</a></span></h2>
         <div class=box><div class=inbox><div class=postbody><div class=postleft><dl><dt><strong>${author}</strong></dt><dd class=usertitle><strong>Member</strong></dd><dd><span>Registered: 2020-01-27</span></dd><dd><span>Posts: 98</span></dd></dl></div>
         <div class=postright><h3>Re: Rakes</h3><div class=postmsg><p>${text}</p></div></div></div></div><div class=inbox><div class="postfoot clearb"><div class=postfootleft><p>Offline</p></div></div></div></div></div>`,
      'div id=brdmain',
    ],
    [
      'phpBB 3.0',
      'Thu May 02, 2024 11:23 am',
      (author, text, at) =>
        `<div id=p3${at} class="post bg2"><div class=inner><dl class=postprofile><dt><a href="./memberlist.php?mode=viewprofile&amp;u=1">${author}</a></dt><dd><strong>Joined:</strong> Sat Dec 11, 2021 6:00 pm</dd></dl>
         <div class=postbody><h3><a href=#p3${at}>Re: Rakes</a></h3><p class=author><a href=#p3${at}><img alt=Post></a>by <strong><a href="./memberlist.php?mode=viewprofile&amp;u=1">${author}</a></strong> » Thu May 02, 2024 11:23 am </p><div class=content>${text}</div></div></div></div>`,
      'div id=page-body',
    ],
    [
      'Discuz',
      '2024-5-2 10:00:12',
      (author, text, at) =>
        `<div id=post_77${at}><table id=pid77${at} class=plhin><tr><td class=pls><div class=authi><a href="space-uid-1.html" class=xw1>${author}</a></div></td><td class=plc><div class=pi><strong><a id=postnum77${at}>#${at}</a></strong><div class=authi><em id=authorposton77${at}>发表于 2024-5-2 10:00:12</em></div></div>
         <div class=pct><div class=pcb><table><tr><td class=t_f id=postmessage_77${at}>${text}</td></tr></table></div></div></td></tr></table></div>`,
      'div id=postlist class="pl bm"',
    ],
    [
      'GitHub',
      '2024-05-02',
      (author, text, at) =>
        `<div class="timeline-comment-group js-comment-container" id=discussioncomment-9${at}><div class="timeline-comment-header"><h3><strong><a class="author Link--primary" data-hovercard-type=user href="/x">${author}</a></strong> <a href=#c class=Link--secondary><relative-time datetime="2024-05-02T10:00:00Z" class=no-wrap>May 2</relative-time></a></h3></div>
         <table class=d-block><tr><td class="d-block color-fg-default comment-body markdown-body js-comment-body"><p>${text}</p></td></tr></table></div>`,
      'div class=js-discussion',
    ],
    [
      'HyperKitty, the archive of Mailman 3',
      '2 May 2024 2:10 p.m.',
      (author, text, at) =>
        `<div class=email id=ABC${at}><div class=email-header><div class="d-flex gravatar-wrapper"><div class=email-author><span class=name><a href="/hyperkitty/users/1/" title="See the profile">${author}</a></span></div></div><div class=email-date><span class="date pull-right"><span title="Sender's time: May 2, 2024, 9:10 a.m.">2 May 2024 2:10 p.m.</span></span></div></div>
         <div class=email-body><p>${text}</p></div><div class=email-info><a href=#>Reply</a></div></div>`,
      'section id=thread-content',
    ],
    [
      'Lobsters',
      '2024-05-02',
      (author, text, at) =>
        `<li class=comments_subtree><div id=c_b8b5h${at} class="comment "><div class=voters><a class=upvoter>12</a></div><div class=details><div class=byline><a name=c_b8></a><span><a href="/~x"><img class=avatar alt="${author} avatar"></a> <a href="/~x">${author}</a> <a href="/c/1"><time datetime="2024-05-02 01:09:47" title="2024-05-02 01:09:47">1 year ago</time></a></span></div>
         <div class=comment_text><p>${text}</p></div></div></div></li>`,
      'ol class=comments',
    ],
    [
      'GameFAQs',
      '5/2/2024 5:03:38 AM',
      (author, text, at) =>
        `<tr><td class=msg id=message_97${at}><div class=msg_infobox><span id=userpop_97${at} class="user uid_8"><a data-username="${author}" class="name menu_toggle"><b>${author}</b></a></span><span class=post_time title="5/2/2024 5:03:38 AM">2 years ago</span><span class=message_num>#${at}</span></div>
         <div class=msg_body_box><div class="msg_body newbeta"><div class=msg_text>${text}</div></div></div></td></tr>`,
      'table class=board',
    ],
    [
      'Reddit',
      '2024-05-02',
      (author, text, at) =>
        `<shreddit-comment author="${author}" thingid=t1_a${at} depth=0><details role=article><summary><div slot=commentMeta><a href="/user/x/">${author}</a> • <faceplate-timeago ts="2024-05-02T01:53:41.845000+0000"><time datetime="2024-05-02T01:53:41.845Z">4d ago</time></faceplate-timeago></div></summary>
         <div slot=comment class=md id=t1_a${at}-comment-rtjson-content><p>${text}</p></div></details></shreddit-comment>`,
      'shreddit-comment-tree id=comment-tree',
    ],
  ])('chooseContent: writes each post of %s once with author and date', (_, date, post, list) => {
    const [end] = list.split(' ', 1);
    const html = `<h1>Rakes</h1><${list}>${post('Ann', one, 1)}${post('Ben', two, 2)}</${end}><div>Similar threads: <a href=/x>Hoes</a></div>`;
    expect(read(html)).toBe(`Rakes Ann · ${date} ${one} Ben · ${date} ${two}`);
  });
});

describe('first post', () => {
  const reply = `<div id=js-post-2 class=MessageCard itemprop=comment itemtype="https://schema.org/Comment"><meta itemprop=datePublished content="2024-05-03T09:06:19-04:00">
    <div class=MessageCard__user-info itemprop=author><a class=MessageCard__user-info__name href="/members/ben.2/">Ben</a><div class=MessageCard__user-details><span class=MessageCard__post-count>14 posts</span> · <span class=MessageCard__join-date>Joined 2022</span></div></div>
    <article class=message-body itemprop=text><div class=bbWrapper>${two}</div></article></div>`;

  it('chooseContent: writes a first post once that is there twice', () => {
    const html = `<div itemscope itemtype="https://schema.org/DiscussionForumPosting"><div class=hidden><div itemprop=author><span class=username itemprop=name>Ann</span></div><article itemprop=text><div class=bbWrapper>${one}</div></article></div>
      <meta itemprop=dateModified content="2026-01-08T08:20:07-05:00"><meta itemprop=datePublished content="2024-05-02T20:05:01-04:00">
      <div class=MessageCard id=js-post-1><h1 class=MessageCard__thread-title>Rakes</h1><div>last post by <a href="/members/ann.1/">Ann</a> <time datetime="2026-01-08T08:20:07-0500">Jan 8, 2026</time></div>
      <div class=MessageCard__user-info><a class=MessageCard__user-info__name href="/members/ann.1/">Ann</a><div class=MessageCard__user-details><span>14 posts</span> · <span class=MessageCard__join-date>Joined 2025</span></div></div>
      <article class=message-body><div class=bbWrapper>${one}</div></article></div>${reply}</div>`;
    expect(read(html)).toBe(`Rakes Ann · 2024-05-02 ${one} Ben · 2024-05-03 ${two}`);
  });

  it('chooseContent: keeps an unmarked first post with its lists and headings', () => {
    const opening = `<div class=md-div><p>${one}</p><h2>Rakes that I tried</h2><ul><li><a href=/a>The wide one</a></li></ul></div>`;
    const post = (author: string, text: string): string =>
      `<article id=comment-9${author.length} class="details comment-node"><a class=person-listing href="/u/${author}"><span>${author}</span></a> <span class=moment-time>2024-05-02</span><div class=comment-content><div class=md-div><p>${text}</p></div></div></article>`;
    expect(
      read(`<h1>Rakes</h1><div>${opening}</div><ul>${post('Ben', two)}${post('Carl', `${two} Really.`)}</ul>`),
    ).toBe(`Rakes ${one} Rakes that I tried - The wide one Ben · 2024-05-02 ${two} Carl · 2024-05-02 ${two} Really.`);
  });

  it('chooseContent: takes the closest heading as the title of a thread', () => {
    expect(
      read(`<h1>Forum of gardens</h1><h1>Rakes</h1>${reply}${reply.replace('Ben', 'Cem').replace(two, one)}`),
    ).toBe(`Rakes Ben · 2024-05-03 ${two} Cem · 2024-05-03 ${one}`);
  });
});

it('chooseContent: does not take the rules of a forum as the first post', () => {
  const rules = `<div class=side><h1 class=redditname>lawns</h1><form><div class="usertext-body md-container"><div class=md><h1>Rules</h1><p>${'Be kind to each other, and name your sources. '.repeat(3)}</p></div></div></form></div>`;
  const post = (author: string, text: string): string =>
    `<div id=thing_t1_${author} class=comment><p class=tagline><a class=author href="/user/x">${author}</a> <time datetime="2024-05-02T00:00:00">2 years ago</time></p><div class=usertext-body><div class=md>${text}</div></div></div>`;
  expect(read(`${rules}${post('Ann', one)}${post('Ben', two)}`)).toBe(
    `lawns Ann · 2024-05-02 ${one} Ben · 2024-05-02 ${two}`,
  );
});

it("chooseContent: does not take the date of a guest's post as the author", () => {
  const post = (at: number, author: string, text: string): string =>
    `<div id=p${at}><p class=author>${author}<a href="#p${at}">Jul 11, 2024</a></p><div class=content>${text}</div></div>`;
  expect(read(`<h1>Rakes</h1>${post(1, '<a href="/members/a">Ann</a> ', one)}${post(2, '', two)}`)).toBe(
    `Rakes Ann · Jul 11, 2024 ${one} Jul 11, 2024 ${two}`,
  );
});

it('chooseContent: does not take the letters of an avatar as the author', () => {
  const post = (at: number, text: string): string =>
    `<div id=postBoxWrapper58${at}><div class=post-box-byline><span class="circle-avatar default-member-avatar-container"> FM </span>Former Member</div><div class=post-body>${text}</div></div>`;
  expect(read(`<h1>Rakes</h1>${post(1, one)}${post(2, two)}`)).toBe(`Rakes Former Member ${one} Former Member ${two}`);
});

it('chooseContent: reads the first post of bbPress, and the dates in the boxes before the posts', () => {
  const post = (at: number, kind: string, author: string, text: string): string =>
    `<div id="post-${at}" class="bbp-reply-header"><div class="bbp-meta"><span class="bbp-reply-post-date">${at} April 2026 at 9:48 am</span></div></div>
     <div class="odd post-${at} ${kind} type-${kind} hentry"><div class="bbp-reply-author"><a href="/forums/users/${author}/"><span class="bbp-author-name">${author}</span></a></div><div class="bbp-reply-content"><p>${text}</p></div></div>`;
  const head =
    '<li class="bbp-header"><div class="bbp-reply-author">Author</div><div class="bbp-reply-content">Posts</div></li>';
  const html = `<article id="post-3" class="topic type-topic"><h1>Rakes</h1><p>Last reply by <a href="/forums/users/ben/">Ben</a></p><ul>${head}<li>${post(3, 'topic', 'Ann', one)}${post(4, 'reply', 'Ben', two)}</li></ul></article>`;
  expect(read(html)).toBe(`Rakes Ann · 3 April 2026 at 9:48 am ${one} Ben · 4 April 2026 at 9:48 am ${two}`);
});

it('chooseContent: reads a text beside the box that has the number of the post, its author and a button', () => {
  const post = (at: number, author: string, text: string): string =>
    `<div itemprop=comment itemtype="https://schema.org/Comment" itemscope><div><div id=post${at}><p>Reply ${at}</p><button class="Button-root Button-text"><span itemprop=datePublished content="2024-05-0${at}T16:20:37+00:00">1 year ago</span></button><a href="/member.php?u=${at}"><span itemprop=name>${author}</span></a></div>
     <div id=post-content${at}><div itemprop=text><span>${text}</span></div><button class="Button-root Button-text">Report</button></div></div></div>`;
  const html = `<h1>Rakes</h1>${post(1, 'Ann', one)}${post(2, 'Ben', two)}${post(3, 'Cem', 'Of spring steel.')}`;
  expect(read(html)).toBe(`Rakes Ann · 2024-05-01 ${one} Ben · 2024-05-02 ${two} Cem · 2024-05-03 Of spring steel.`);
});
