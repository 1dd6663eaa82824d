type Without<Nothing, Fields> = {
  readonly [Name in keyof Fields as Nothing extends Fields[Name] ? never : Name]: Fields[Name];
} & {
  readonly [Name in keyof Fields as Nothing extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], Nothing>;
};

/** Fields that are undefined are absent: they replace nothing. */
export function defined<Fields extends object>(fields: Fields): Without<undefined, Fields> {
  return without(undefined, fields);
}

/** Fields that are null are absent. */
export function present<Fields extends object>(fields: Fields): Without<null, Fields> {
  return without(null, fields);
}

function without<Nothing, Fields extends object>(nothing: Nothing, fields: Fields): Without<Nothing, Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== nothing)) as Without<
    Nothing,
    Fields
  >;
}
