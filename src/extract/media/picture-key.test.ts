import { expect, it } from 'vitest';
import { pictureKey } from './picture-key.ts';

it.each<[why: string, one: string, other: string]>([
  ['WordPress', 'https://x.example/a-300x200.jpg', 'http://x.example/a-1024x683.jpg'],
  ['Shopify', '//x.example/a_180x.jpg?v=3', '//x.example/a_1080x.jpg?v=3'],
  ['Shopify by parameter', '/a.jpg?v=3&width=100', '/a.jpg?v=3&width=1200&height=800&crop=center'],
  ['imgix', '/a.png?auto=compress,format&w=80', '/a.png?w=1600&q=75'],
  ['Next.js', '/_next/image?url=%2Fa.png&w=640&q=75', '/_next/image?url=%2Fa.png&w=3840&q=75'],
  ['Cloudinary', '/upload/c_fill,w_400/v1/a.jpg', '/upload/w_1200,h_800/v1/a.jpg'],
  ['Wix', '/media/a.jpg/v1/fill/w_98,h_55,al_c,q_85/a.jpg', '/media/a.jpg/v1/fill/w_980,h_551,al_c,q_85/a.jpg'],
  ['Squarespace', '/v1/a.png?format=300w', '/v1/a.png?format=1500w'],
])('pictureKey: is the same for two sizes of one picture by %s', (_, one, other) => {
  expect(pictureKey(one)).toBe(pictureKey(other));
});

it.each<[one: string, other: string]>([
  ['/a.jpg', '/b.jpg'],
  ['/image?id=1', '/image?id=2'],
  ['/_next/image?url=%2Fa.png&w=640', '/_next/image?url=%2Fb.png&w=640'],
  ['/photos/f_1', '/photos/f_2'],
  ['/w_1/a.jpg', '/x_1/a.jpg'],
])('pictureKey: differs for %s and %s', (one, other) => {
  expect(pictureKey(one)).not.toBe(pictureKey(other));
});

it.each(['w_', '/w_1', ',', '-1x', '?', '&w=1', 'w_1,'])(
  'pictureKey: reads 100,000 times %j in linear time',
  (part) => {
    expect(pictureKey(`/${part.repeat(100_000)}!`)).toMatch(/^\//);
  },
);
