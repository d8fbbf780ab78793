import { describe, expect, it } from 'vitest';
import { mortise } from '../call.ts';

const CONFIG_MAP = `# of the shop
apiVersion: v1
kind: ConfigMap
metadata: {name: "shop", labels: {a:   b}} # two spaces too many
data:
  run: |
    echo {{ hello }}
`;
const PROVISIONER = `apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: batch}
spec: {providerRef: {name: default}}
`;

describe('objects of other kinds', () => {
  it('are converted to themselves, byte for byte', async () => {
    const files = { 'a.yaml': `---\n${CONFIG_MAP}---\n${PROVISIONER}` };
    const { code, stdout } = await mortise(['convert', '-f', 'a.yaml'], { files });

    expect(code).toBe(0);
    expect(stdout.startsWith(`${CONFIG_MAP}---\napiVersion: karpenter.sh/v1\nkind: NodePool\n`)).toBe(true);
  });

  it('are converted to themselves in a List of JSON', async () => {
    const files = { 'a.yaml': CONFIG_MAP };
    const { stdout } = await mortise(['convert', '-f', 'a.yaml', '-o', 'json'], { files });

    expect(JSON.parse(stdout)).toMatchObject({
      items: [{ kind: 'ConfigMap', data: { run: 'echo {{ hello }}\n' } }],
    });
  });
});
