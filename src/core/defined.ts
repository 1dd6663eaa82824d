/** Fields that are undefined are absent, so that they replace nothing. */
export type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
}
