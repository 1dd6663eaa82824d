// Text for generated sites: the same for the same seed, another for each seed, and copied from no real site.
import { hash } from 'node:crypto';

const nouns =
  'barn meadow scythe orchard kettle lantern harbour ladder pigeon ribbon saddle thimble wagon cellar bonnet walnut ' +
  'ferry chimney anvil basket clover dinghy engine fiddle gravel hammock inkwell jasmine kiln loom mallet nettle';
const verbs =
  'carries mends paints sharpens borrows counts measures hides lifts polishes repairs sells stacks trades washes weighs';
const adjectives =
  'amber brittle crooked dusty early faded gentle hollow idle jagged keen limber muddy narrow old pale quiet rusty sturdy tall';
const places = 'shed mill quarry village harbour valley market garden bridge island forest station';

const lists = [adjectives, nouns, verbs, adjectives, nouns, places].map((list) => list.split(' '));

/** A whole number from 0 to `below` minus 1. */
export function pick(seed: string, below: number): number {
  return hash('sha256', seed, 'buffer').readUInt32BE(0) % below;
}

/** A word of ten letters for each seed. All are equally long, so none begins another. */
export function marker(seed: string): string {
  const letters = Array.from(hash('sha256', seed, 'buffer').subarray(0, 9), (byte) =>
    String.fromCharCode(97 + (byte % 26)),
  );
  return `M${letters.join('')}`;
}

/** Sentences such as "The amber barn mends a dusty kettle near the mill." */
export function prose(seed: string, sentences: number): string {
  return Array.from({ length: sentences }, (_, index) => {
    const [first, subject, verb, second, object, place] = lists.map(
      (list, column) => list[pick(`${seed} ${index} ${column}`, list.length)],
    );
    return `The ${first} ${subject} ${verb} a ${second} ${object} near the ${place}.`;
  }).join(' ');
}

/** Two or three words, such as for a title; most seeds have one of their own. */
export function title(seed: string): string {
  const [first, second] = prose(`title ${seed}`, 1).split(' ').slice(1, 3);
  return `${capital(first ?? '')} ${second ?? ''}`;
}

export function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** `0, 1, 2` and so on. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

export function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return range(Math.ceil(items.length / size)).map((index) => items.slice(index * size, (index + 1) * size));
}
