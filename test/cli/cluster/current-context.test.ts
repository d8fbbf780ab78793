import { describe, expect, it } from 'vitest';
import { mortise } from '../call.ts';
import { startForeignCluster } from './foreign-cluster.ts';

const READING = [
  { argv: ['explain', '--pending'] },
  { argv: ['snapshot', '--out', 'shop.json.gz'] },
  { argv: ['doctor', '--only', 'pools'] },
  { argv: ['describe', 'nodeclaim', 'general-1'] },
  { argv: ['replay', '--since', '1h'] },
] as const;

const CHANGING = [['uninstall'], ['controller'], ['deploy']] as const;

describe('a command that only reads', () => {
  it.each(READING)('$argv.0 uses the current context and names it on stderr', async ({ argv }) => {
    const kubeconfig = JSON.stringify(await startForeignCluster());

    const { stderr } = await mortise(argv, { files: { '.kube/config': kubeconfig } });

    expect(stderr).toContain('context shop\n');
    expect(stderr).not.toContain('no cluster is named');
  });

  it('prefers the file of KUBECONFIG, relative to the working directory', async () => {
    const kubeconfig = JSON.stringify(await startForeignCluster());

    const { code, stderr } = await mortise(['explain', '--pending'], {
      files: { 'other.yaml': kubeconfig, '.kube/config': 'no kubeconfig' },
      env: { KUBECONFIG: 'other.yaml' },
    });

    expect(stderr).toContain('context shop\n');
    expect(code).toBe(0);
  });

  it('names the missing file of KUBECONFIG', async () => {
    const { code, stderr } = await mortise(['explain', '--pending'], {
      env: { KUBECONFIG: '/nowhere/config' },
    });

    expect(code).toBe(2);
    expect(stderr).toContain('error: cannot open /nowhere/config');
  });
});

describe('a command that changes something', () => {
  it.each(CHANGING)('%s does not use the current context', async (verb) => {
    const kubeconfig = JSON.stringify(await startForeignCluster());

    const { code, stderr } = await mortise([verb], { files: { '.kube/config': kubeconfig } });

    expect(code).toBe(2);
    expect(stderr).toContain('no cluster is named');
  });
});
