import type { Element } from 'domhandler';
import { findOne, getElementsByTagName } from 'domutils';
import { attributeOf } from '../html/nodes.ts';
import type { PageElements } from './scan-page.ts';

/** True if a person finds ways to other pages on this one that are no links: routes, scripts and choices. */
export function hasUnfollowedWays({ linking, choices }: Pick<PageElements, 'linking' | 'choices'>): boolean {
  return linking.some(isScripted) || choices.some(leadsOn);
}

function isScripted(element: Element): boolean {
  if (element.name !== 'a') return false;
  const href = attributeOf(element, 'href') ?? '';
  if (/^#!?\/./.test(href)) return true;
  if (/^javascript:/i.test(href) && leading.test(href)) return true;
  return /^(?:#?$|javascript:)/i.test(href) && leading.test(element.attribs['onclick'] ?? '');
}

/** A script that opens a page, not one that opens a menu: `location=`, `__doPostBack('list','Page$2')`, `showPage(3)`. */
const leading =
  /\blocation\b|\bwindow\.open\b|__dopostback|\bnavigate|page\w*\(\s*['"]?[\w/]|\bgo(?:to)?\w*\(\s*['"\d]/i;

/** A choice that is all that its form has, or that leaves the page by itself. Next to a text field it narrows a search. */
function leadsOn(choice: Element): boolean {
  const options = getElementsByTagName('option', choice.children).filter(({ attribs }) => attribs['value'] !== '');
  if (options.length < 2) return false;
  if (/location|submit/i.test(choice.attribs['onchange'] ?? '')) return true;
  const form = formOf(choice);
  return form !== undefined && findOne(isTyped, form.children) === null;
}

function isTyped({ name, attribs }: Element): boolean {
  return (
    name === 'textarea' || (name === 'input' && !/^(?:submit|hidden|button|image|reset)$/i.test(attribs['type'] ?? ''))
  );
}

function formOf(element: Element): Element | undefined {
  let above = element.parent;
  while (above && 'name' in above && above.name !== 'form') above = above.parent;
  return above && 'name' in above ? above : undefined;
}
