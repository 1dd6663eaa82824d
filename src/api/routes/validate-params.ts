import type { FastifySchemaCompiler } from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import { z } from 'zod';

/** For routes whose handler validates body and headers: here, their schemas only document them. */
export const validateParams: FastifySchemaCompiler<unknown> = ({ schema, ...route }) =>
  route.httpPart === 'params' && schema instanceof z.ZodType
    ? validatorCompiler({ schema, ...route })
    : (value: unknown) => ({ value });
