// What the API shows of a resource: see `core/resource.ts`.
import { z } from 'zod';
import type { Column, Columns, SchemaOf, ShownName, View } from '../../core/resource.ts';

type Shape<All extends Columns> = { [Name in ShownName<All>]: SchemaOf<All[Name]> };

/** The schema of its fields. */
export function shapeOf<All extends Columns>(columns: All): Shape<All> {
  const shape = shownOf(columns).map(({ name, type, shown: { about } }) => {
    const schema = type(z);
    return [name, about === undefined ? schema : schema.describe(about)];
  });
  return Object.fromEntries(shape) as Shape<All>;
}

export function viewOf<All extends Columns>(columns: All, resource: View<All>): View<All> {
  const fields: Readonly<Record<string, unknown>> = resource;
  return Object.fromEntries(shownOf(columns).map(({ name }) => [name, fields[name]])) as View<All>;
}

export function exampleOf(columns: Columns): Record<string, unknown> {
  return Object.fromEntries(shownOf(columns).map(({ name, shown }) => [name, shown.example]));
}

function shownOf(columns: Columns) {
  return Object.entries(columns).flatMap(([name, { type, shown }]: [string, Column]) =>
    type === undefined || shown === undefined ? [] : [{ name, type, shown }],
  );
}
