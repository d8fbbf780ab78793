import { type Answer, wholeAnswer } from '../answer.ts';
import { type CommonFlags, commandOf } from '../arguments/flags.ts';
import type { Verb } from '../arguments/help.ts';
import { didYouMean } from '../arguments/usage-errors.ts';
import { fail } from '../errors.ts';
import type { Run } from '../invocation.ts';

export const schemaVerb = (run: Run): Verb => ({
  command: commandOf('schema', 'The JSON Schema of a document that -o json prints, or of a published event.')
    .argument('<kind>')
    .action((kind, flags) => run({ ...flags, output: 'text' } satisfies CommonFlags, () => schemaAnswer(kind))),
  examples: [['mortise schema Simulation > simulation.schema.json', 'for your editor or validator']],
});

async function schemaAnswer(kind: string): Promise<Answer> {
  const { DOCUMENT_KINDS, jsonSchemaOf } = await import('../documents/schemas.ts');
  const schema = jsonSchemaOf(kind);
  if (schema === undefined) throw unknownKind(kind, DOCUMENT_KINDS);
  return wholeAnswer({
    kind: 'Schema',
    result: schema,
    text: () => `${JSON.stringify(schema, null, 2)}\n`,
  });
}

const unknownKind = (kind: string, kinds: readonly string[]) => {
  const similar = didYouMean(kind, kinds);
  return fail({
    code: 'not-found',
    what: `no document kind ${kind}`,
    where: 'mortise schema',
    fix: similar === undefined ? `kinds are ${kinds.join(', ')}` : `did you mean ${similar}`,
  });
};
