// The types of packages/client, from the OpenAPI document.
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';

/** A module of types for an OpenAPI document. Its examples are left out: they are most of its length. */
export async function clientTypes(openapi: string): Promise<string> {
  const document = JSON.parse(openapi, (name, value: unknown) =>
    (name === 'example' || name === 'examples') && !isSchema(value) ? undefined : value,
  ) as OpenAPI3;
  // Fields with a default can be left out of a request.
  const nodes = await openapiTypescript(document, { defaultNonNullable: false });
  return `// Written by \`npm run docs\` from the API. Do not edit.\n${astToString(nodes)}`;
}

/** True for the schema of a property with that name. */
function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && 'description' in value;
}
