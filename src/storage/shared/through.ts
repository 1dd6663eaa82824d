/** Runs it with what a store does around each call: it waits, retries or explains errors. */
export type Call = <Result>(run: () => Promise<Result>) => Promise<Result>;

type Called<Method> = Method extends (...args: infer Args) => infer Result
  ? (...args: Args) => Promise<Awaited<Result>>
  : never;

/** Methods of an object, of which each call goes through `call`. */
export function through<Of extends object, Name extends keyof Of & string>(
  of: Of,
  names: readonly Name[],
  call: Call,
): { readonly [Each in Name]: Called<Of[Each]> } {
  const methods = names.map((name) => {
    const method = of[name];
    if (typeof method !== 'function') throw new TypeError(`${name} is no method`);
    return [
      name,
      (...args: readonly unknown[]) => call(async () => (await Reflect.apply(method, of, args)) as unknown),
    ];
  });
  return Object.fromEntries(methods) as never;
}
