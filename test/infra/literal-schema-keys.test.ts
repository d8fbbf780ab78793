import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { BUNDLING, toLiteralKeys } from '../../infra/bundling/bundling.ts';

describe('the schemas of an SDK client', () => {
  it('get literal keys, so that those of unused operations can be removed', () => {
    const source = 'const _iI = "instanceId";\nvar A$ = [3, { [_iI]: _iI }, [_iI]];';

    expect(toLiteralKeys(source)).toBe('const _iI = "instanceId";\nvar A$ = [3, { "instanceId": _iI }, [_iI]];');
  });

  it('keep keys that no constant of the file defines', () => {
    const source = 'import { _iI } from "./other.js";\nvar A$ = [3, { [_iI]: 1 }];';

    expect(toLiteralKeys(source)).toBe(source);
  });

  it('of operations that a function does not call are not in its bundle', async () => {
    const { outputFiles } = await build({
      ...BUNDLING,
      stdin: {
        contents: `import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
console.log(DescribeInstancesCommand);`,
        resolveDir: import.meta.dirname,
      },
      write: false,
    });
    const [{ text = '' } = {}] = outputFiles;

    expect(text).toContain('"DescribeInstancesRequest"');
    expect(text).not.toContain('"DescribeVpnConnectionsRequest"');
  });
});
