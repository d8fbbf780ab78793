import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { type Validation, validationSchema } from '../../cli/documents/validation.ts';

/**
 * Reads the report of `mortise validate -o json`, and prints an annotation for each problem. Fails if no
 * object was validated, because a wrong path must not look like a success.
 *
 * @see https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
const json = await text(process.stdin);
// Without a report, the command has failed and named its error.
if (json !== '') annotate(z.object({ result: validationSchema }).parse(JSON.parse(json)).result);

function annotate({ objects }: Validation): void {
  for (const { file, kind, name, problems } of objects) {
    for (const { severity, line, column, path, why, fix } of problems) {
      const position = Object.entries({ file, line, col: column, title: [kind, name].join('/') });
      const properties = position.map(([key, value]) => `${key}=${escapeProperty(`${value}`)}`);
      const subject = path === '' ? '' : `${path}: `;
      print(`::${severity} ${properties.join(',')}::${escapeText(`${subject}${why}; ${fix}`)}`);
    }
  }
  if (objects.some(({ verdict }) => verdict !== 'not-judged')) return;
  print('::error::nothing was validated: the files contain no NodePool and no EC2NodeClass');
  process.exitCode = 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function escapeText(value: string): string {
  return value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(value: string): string {
  return escapeText(value).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
