/** Returns a call of a tool as a model can repeat it: the name and the arguments as JSON, without absent ones. */
export function callOf(tool: string, args: Readonly<Record<string, unknown>>): string {
  return `${tool} ${JSON.stringify(args)}`;
}
