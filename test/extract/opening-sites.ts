/** Pages of threads after the default templates of five sites, and of software that is unknown. */

export interface Thread {
  readonly title: string;
  /** Empty if the thread is about a link alone. */
  readonly question: string;
  /** Empty if the thread is about no other page. */
  readonly link: string;
  readonly answers: readonly string[];
}

export interface Site {
  readonly url: string;
  readonly page: (thread: Thread) => string;
  /** Threads are never about another page. */
  readonly hasNoLinks?: boolean;
  /** Nothing marks a thread without answers. */
  readonly needsAnswers?: boolean;
}

const names = ['annkraft', 'ben_ito', 'cem2', 'dora'];
const nameOf = (at: number): string => names[at % names.length] ?? '';
const idOf = (at: number): string => `a${String(at).padStart(4, '0')}x`;

export const sites: Readonly<Record<string, Site>> = {
  'Hacker News': {
    url: 'https://news.example/item?id=500',
    page: ({ title, question, link, answers }) => `<title>${title} | Hacker News</title><table id=hnmain>
<tr><td><span class=pagetop><b class=hnname><a href=news>Hacker News</a></b><a href=newest>new</a> | <a href=front>past</a> | <a href=ask>ask</a></span>
<tr id=pagespace title="${title}"><tr><td><table class=fatitem><tr class="athing submission" id=500><td class=title><td class=votelinks><a id=up_500 href=vote><div class=votearrow></div></a>
<td class=title><span class=titleline><a href="${link || 'item?id=500'}">${title}</a>${link && '<span class="sitebit comhead"> (<a href=from><span class=sitestr>rakes.example</span></a>)</span>'}</span>
<tr><td><td class=subtext><span class=subline><span class=score>18 points</span> by <a href="user?id=asker" class=hnuser>asker</a> <span class=age title="2026-08-09T07:12:41 1786259561"><a href="item?id=500">5 hours ago</a></span> | <a href=hide>hide</a></span>
${question && `<tr><td><td><div class=toptext>${question}</div>`}<tr><td><td><form action=comment><textarea name=text></textarea><input type=submit value="add comment"></form></table>
<table class=comment-tree>${answers
      .map(
        (
          answer,
          at,
        ) => `<tr class="athing comtr" id=60${at}><td><table><tr><td class=ind><td class=default><div><span class=comhead><a href="user?id=${nameOf(at)}" class=hnuser>${nameOf(at)}</a>
<span class=age title="2026-08-09T08:01:00"><a href="item?id=60${at}">4 hours ago</a></span></span></div><div class=comment><div class="commtext c00">${answer}</div><div class=reply><u><a href=reply>reply</a></u></div></div></table>`,
      )
      .join(
        '',
      )}</table><tr><td><center class=yclinks><a href=rules>Guidelines</a> | <a href=lists>Lists</a></center></table>`,
  },
  Lobsters: {
    url: 'https://red.example/s/k3v9qe/rakes',
    page: ({
      title,
      question,
      link,
      answers,
    }) => `<title>${title} | Lobsters</title><header id=nav><a href=/active>Active</a> <a href=/recent>Recent</a></header>
<ol class="stories list"><li id=story_k3v9qe class=story><div class="story_liner h-entry"><div class=voters><a class=upvoter href=/login>12</a></div><div class=details>
<span role=heading aria-level=1 class="link h-cite u-repost-of"><a class=u-url href="${link || '/s/k3v9qe/rakes'}">${title}</a></span> <span class=tags><a class=tag href=/t/ask>ask</a></span>
<div class=byline><span> authored by </span><a class="u-author h-card" href="/~asker">asker</a> <time datetime="2026-08-09 07:12:41">5 hours ago</time> | <a href=/save>save</a></div></div></div></ol>
${question && `<div class=story_content><div class=story_text><p>${question}</p></div></div>`}<ol class=comments>${answers
      .map(
        (
          answer,
          at,
        ) => `<li class=comments_subtree><div id=c_${idOf(at)} class=comment><div class=details><div class=byline><a href="/~${nameOf(at)}">${nameOf(at)}</a> <time datetime="2026-08-09 08:01:00">4 hours ago</time> | <a href=/c>link</a></div>
<div class=comment_text><p>${answer}</p></div></div></div><ol class=comments></ol>`,
      )
      .join('')}</ol><footer><a href=/filters>Guidelines</a></footer>`,
  },
  'old Reddit': {
    url: 'https://old.reddit.example/r/lawns/comments/1k2x9q/rakes/',
    page: ({
      title,
      question,
      link,
      answers,
    }) => `<title>${title} : lawns</title><meta property=og:title content="r/lawns - ${title}">
<div class=side><div class=titlebox><h1 class="hover redditname"><a href=/r/lawns>lawns</a></h1><form class=usertext><div class="usertext-body md-container"><div class=md><p>Guidelines: a place for people who love their lawns, and who are kind.</div></div></form></div></div>
<div class=content role=main><div id=siteTable><div class="thing id-t3_1k2x9q link" id=thing_t3_1k2x9q data-author=asker><div class=midcol><div class=score>18</div></div>
<div class=entry><p class=title><a class=title href="${link || '/r/lawns/comments/1k2x9q/rakes/'}">${title}</a> <span class=domain>(<a href=/domain>self</a>)</span></p>
<p class=tagline>submitted <time datetime="2026-08-09T07:12:41+00:00">3 months ago</time> by <a href="/user/asker" class="author may-blank">asker</a></p>
${question && `<div class=expando><form class=usertext><div class="usertext-body md-container"><div class=md><p>${question}</p></div></div></form></div>`}<ul class="flat-list buttons"><li><a href=#>comments</a><li><a>share</a></ul></div></div></div>
<div class=commentarea><span class=title>all comments</span>${answers
      .map(
        (
          answer,
          at,
        ) => `<div class="thing comment" id=thing_t1_${idOf(at)}><div class=entry><p class=tagline><a href="/user/${nameOf(at)}" class=author>${nameOf(at)}</a> <time datetime="2026-08-09T08:01:00+00:00">3 months ago</time></p>
<form class=usertext><div class="usertext-body md-container"><div class=md><p>${answer}</p></div></div></form></div><div class=child></div></div>`,
      )
      .join('')}</div></div>`,
  },
  phpBB: {
    url: 'https://board.example/viewtopic.php?t=500',
    hasNoLinks: true,
    needsAnswers: true,
    page: ({
      title,
      question,
      answers,
    }) => `<title>${title} - Garden Board</title><div id=site-description><h1>Garden Board</h1><p>All about gardens</p></div>
<div id=page-body role=main><h2 class=topic-title><a href="./viewtopic.php?t=500">${title}</a></h2><div class=pagination>${answers.length + 1} posts</div>${[
      question,
      ...answers,
    ]
      .map(
        (
          text,
          at,
        ) => `<div id=p70${at} class="post bg1"><dl class=postprofile><dt><a href="./memberlist.php?u=${at}" class=username>${at === 0 ? 'asker' : nameOf(at - 1)}</a></dt><dd class=profile-posts>Posts: 240</dd></dl>
<div class=postbody><h3><a href="#p70${at}">${at > 0 ? 'Re: ' : ''}${title}</a></h3><p class=author><span>by <strong><a href="./memberlist.php?u=${at}" class=username>x</a></strong> » </span><time datetime="2026-08-09T07:10:41+00:00">Sun Aug 09, 2026 7:10 am</time></p><div class=content>${text}</div></div></div>`,
      )
      .join('')}</div><div id=page-footer role=contentinfo>Guidelines</div>`,
  },
  Lemmy: {
    url: 'https://lem.example/post/500',
    needsAnswers: true,
    page: ({
      title,
      question,
      link,
      answers,
    }) => `<title>${title} - lem.example</title><nav><a href=/communities>Communities</a></nav><main><div class=post-listing><article class=row>
<h1 class=h4><a class=link-dark href="${link || '/post/500'}">${title}</a></h1><div class=small><a class=person-listing href=/u/asker><span>asker</span></a> to <a href=/c/lawns>Lawns</a> · <span class=moment-time>3 months ago</span></div></article>
${question && `<article id=postContent class=card><div class=md-div><p>${question}</p></div></article>`}</div><ul class="comments list-unstyled">${answers
      .map(
        (
          answer,
          at,
        ) => `<li class="comment list-unstyled"><article id=comment-9${at} class="details comment-node py-2"><a class=person-listing href="/u/${nameOf(at)}"><span>${nameOf(at)}</span></a><span class=moment-time>3 months ago</span>
<div class=comment-content><div class=md-div><p>${answer}</p></div></div></article>`,
      )
      .join('')}</ul></main><aside><p>Guidelines of this place: be kind, and do not sell things here.</aside>`,
  },
  'an unknown site': {
    url: 'https://asked.example/topic/500-rakes',
    needsAnswers: true,
    page: ({
      title,
      question,
      link,
      answers,
    }) => `<title>${title} – Asked</title><header><a href=/>Asked</a></header><main><h1>${link ? `<a href="${link}">${title}</a>` : title}</h1>
<p class=by>Asked by <a href=/user/asker>asker</a>, <time datetime=2026-08-09>9 August 2026</time></p>${question && `<div class=topic-text>${question}</div>`}<h2>Answers</h2>${answers
      .map(
        (answer, at) =>
          `<div class=answer id=answer-${at + 1}><div class=who><a href="/user/${nameOf(at)}">${nameOf(at)}</a> <time datetime=2026-08-09>9 August 2026</time></div><div class=answer-text>${answer}</div></div>`,
      )
      .join('')}</main><footer><a href=/rules>Guidelines</a></footer>`,
  },
};

interface Words {
  readonly title: string;
  readonly long: string;
  readonly short: string;
  readonly answers: readonly string[];
}

export const languages: Readonly<Record<string, Words>> = {
  English: {
    title: 'Which rake works on mossy lawns?',
    long: 'My lawn is full of moss. I have tried a spring rake and a scarifier, and neither gets under it. What else is there?',
    short: 'Ash or oak?',
    answers: ['Use a thatching rake and go twice.', 'I would add lime first, and wait for a month.'],
  },
  German: {
    title: 'Welcher Rechen taugt bei Moos?',
    long: 'Mein Rasen ist voller Moos. Der Federrechen und der Vertikutierer kommen nicht darunter. Was könnte ich noch versuchen?',
    short: 'Esche oder Eiche?',
    answers: ['Nimm einen Vertikutierrechen und geh zweimal darüber.', 'Erst kalken, dann einen Monat warten.'],
  },
  Japanese: {
    title: '苔の多い芝生に合う熊手はどれですか',
    long: '庭の芝生が苔だらけになりました。ばね式の熊手も試しましたが、根元まで届きません。ほかに何か方法はありますか。',
    short: '竹か鉄か。',
    answers: ['竹の熊手で二度かくといいですよ。', 'まず石灰をまいて一か月待ちます。'],
  },
  Arabic: {
    title: 'أي مشط يصلح للعشب المليء بالطحالب؟',
    long: 'حديقتي مليئة بالطحالب، وقد جربت المشط المعدني وآلة التهوية ولم ينفع أي منهما. ماذا يمكنني أن أفعل أيضا؟',
    short: 'خشب أم حديد؟',
    answers: ['استعمل مشطا ثقيلا ومر مرتين.', 'أضف الجير أولا ثم انتظر شهرا.'],
  },
};
