/**
 * Points between two steps at which the process can die. A test that needs a death at one of them listens to the
 * channel and kills the process. Nothing else listens, and then a point costs one comparison.
 */
import { channel } from 'node:diagnostics_channel';

export const failPoints = {
  'start.migrating': 'the new schema is made, and not committed',
  'start.recovered': 'what an earlier process held was given back',
  'create.stored': 'a job is committed, and not answered',
  'create.writing': 'a job is inserted, its URLs are not',
  'retry.writing': 'the job of a retry is inserted, its URLs are not',
  'seed.writing': 'URLs of an earlier job are inserted, how far that came is not written',
  'removal.writing': 'pages that are gone are removed, and not counted',
  'lane.leased': 'a host is leased, nothing is taken',
  'lane.taken': 'requests are taken, none was started',
  'lane.settled': 'outcomes are committed, nobody was told',
  'take.writing': 'a request is marked as taken, its job is not written',
  'settle.page': 'the page is inserted, its text is not',
  'settle.raw': 'the page and its text are inserted, its raw body is not',
  'settle.picture': 'the page is inserted, its screenshot in an object is not named',
  'object.registered': 'an object has a row, and is not stored',
  'object.stored': 'an object is stored, and no page names it',
  'object.gathered': 'segments are stored a second time, and are not named there',
  'object.deleted': 'an object is deleted, its row is not',
  'settle.links': 'links are inserted, the counters are not written',
  'settle.ending': 'everything of an outcome but the job is written',
  'release.writing': 'what was taken is given back, the host is still leased',
  'commit.begun': 'a transaction has begun',
  'commit.due': 'everything is written, nothing is committed',
  'commit.done': 'the commit is on disk, nobody knows',
  'model.answered': 'the model has answered about a page, and nothing is stored of it',
  'model.learned': 'what a response taught is stored, and its page is not',
  'rules.taken': 'what an earlier job learned is stored for a later one, and no page was read with it',
  'convert.begun': 'a thread has taken a page',
  'convert.done': 'a thread has a page ready',
  'event.stored': 'an event for a webhook is inserted',
  'run.claimed': 'a due run is taken, and not committed',
  'run.creating': 'a due run is claimed, its job is not created',
  'run.writing': 'the job of a run is inserted, its time is not settled',
  'run.created': 'the job of a run is committed, nobody was told',
  'delivery.claimed': 'a delivery is taken, and not committed',
  'delivery.sending': 'an event is about to be sent',
  'delivery.sent': 'an event was sent, and is not marked so',
  'delivery.settled': 'an event is marked as sent',
  'pages.read': 'a thread has read pages',
  'sweep.writing': 'a part of an expired job is removed, and not committed',
  'erase.writing': 'a part of a page is erased, and not committed',
  'stop.asked': 'the program was asked to stop',
  'stop.drained': 'nothing is in flight any more, the store is open',
} as const;

export type FailPoint = keyof typeof failPoints;

export const failPointChannel = 'hayrake:fail-point';

const points = channel(failPointChannel);

export function failPoint(name: FailPoint): void {
  if (points.hasSubscribers) points.publish(name);
}
