import { join } from 'node:path';
import { CREDENTIALS, type Emulator } from '../lab/emulators.ts';
import type { Programs } from '../lab/programs.ts';
import { REPOSITORY } from '../lab/repository.ts';

/** The emulator of EC2 and IAM, quick enough for a thousand instances. */
export async function startQuickMoto(
  { programs, tools }: { readonly programs: Programs; readonly tools: string },
  port: number,
): Promise<Emulator> {
  const url = `http://127.0.0.1:${port}`;
  const program = programs.start({
    name: 'moto',
    command: join(tools, 'python3'),
    args: [join(REPOSITORY, 'test/e2e/moto/serve_moto.py'), '-H', '127.0.0.1', '-p', `${port}`],
    environment: CREDENTIALS,
  });
  await programs.ready(program, () => fetch(`${url}/moto-api/`));
  return { url, port };
}
