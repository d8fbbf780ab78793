import { parse } from 'yaml';
import type { BootReading } from '../../../ec2/node-class/readers/boot-reading.ts';
import { readBottlerocket, readSettings } from '../../../ec2/node-class/readers/bottlerocket.ts';
import { readWindows } from '../../../ec2/node-class/readers/windows.ts';
import { listAt, textAt, valueAt } from '../json.ts';

/** The kubelet settings in an instance's user data. */
export interface NodeConfig {
  readonly cluster: string;
  readonly endpoint: string;
  readonly certificateAuthority: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly { key: string; value?: string; effect: string }[];
  readonly maxPods?: number;
  /** Memory that a script reserves for huge pages of 2 MiB. */
  readonly hugePagesMib?: number;
  readonly isWindows?: boolean;
}

/**
 * Reads user data in the format of AL2023, Bottlerocket or Windows.
 *
 * @param userData - base64, as EC2 returns it
 * @throws Error - a node with this user data would not join
 */
export function readNodeConfig(userData: string): NodeConfig {
  const text = Buffer.from(userData, 'base64').toString();
  if (text.startsWith('<powershell>')) {
    return { ...fromReading(readWindows(text).boot), isWindows: true };
  }
  return /^\[settings\b/m.test(text) ? fromReading(readBottlerocket(readSettings(text))) : readNodeadm(text);
}

function fromReading(reading: BootReading): NodeConfig {
  const { cluster, endpoint, certificateAuthority, labels, kubelet } = reading;
  const { maxPods } = kubelet;
  return {
    ...{ cluster, endpoint, certificateAuthority, labels },
    taints: reading.taints.flatMap(taintsIn),
    ...(maxPods !== undefined && { maxPods: Number(maxPods) }),
  };
}

/**
 * Reads user data as nodeadm on AL2023 does: MIME parts or plain YAML; later NodeConfigs win.
 *
 * @see awslabs/amazon-eks-ami, nodeadm, "NodeConfig"
 */
function readNodeadm(text: string): NodeConfig {
  const configs = documentsIn(text).filter((document) => textAt(document, 'kind') === 'NodeConfig');
  if (configs.length === 0) throw new Error(`no NodeConfig in the user data:\n${text}`);

  const flags = configs.flatMap((config) => listAt(config, 'spec', 'kubelet', 'flags').map(String));
  const settings = configs.map((config) => valueAt(config, 'spec', 'kubelet', 'config'));
  const last = (...path: readonly string[]): string =>
    configs.map((config) => textAt(config, 'spec', 'cluster', ...path)).findLast((one) => one) ?? '';
  const maxPods = settings.map((one) => valueAt(one, 'maxPods')).findLast((one) => one !== undefined);
  const hugePages = /\bvm\.nr_hugepages=(\d+)/.exec(text)?.[1];
  return {
    cluster: need('cluster.name', last('name')),
    endpoint: need('cluster.apiServerEndpoint', last('apiServerEndpoint')),
    certificateAuthority: need('cluster.certificateAuthority', last('certificateAuthority')),
    labels: labelsIn(flagValue(flags, '--node-labels')),
    taints: [
      ...taintsIn(flagValue(flags, '--register-with-taints')),
      ...settings.flatMap((one) => listAt(one, 'registerWithTaints')).map(taintOf),
    ],
    ...(maxPods !== undefined && { maxPods: Number(maxPods) }),
    ...(hugePages !== undefined && { hugePagesMib: Number(hugePages) * 2 }),
  };
}

function documentsIn(text: string): readonly unknown[] {
  const boundary = /boundary="?([^"\s;]+)"?/.exec(text)?.[1];
  if (boundary === undefined) return [parse(text)];
  return text
    .split(`--${boundary}`)
    .slice(1)
    .filter((part) => part.includes('application/node.eks.aws'))
    .map((part): unknown => parse(part.replace(/^[\s\S]*?\r?\n\r?\n/, '')));
}

function need(name: string, value: string): string {
  if (value === '') throw new Error(`the NodeConfig lacks ${name}`);
  return value;
}

/** systemd removes the quotes, as a shell does. */
const flagValue = (flags: readonly string[], name: string): string =>
  flags
    .find((flag) => flag.startsWith(`${name}=`))
    ?.slice(name.length + 1)
    .replaceAll('"', '') ?? '';

const labelsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(',')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [key = '', value = ''] = pair.split('=');
        return [key, value];
      }),
  );

const taintsIn = (text: string): NodeConfig['taints'] =>
  text
    .split(',')
    .filter((one) => one !== '')
    .map((one) => {
      const [rest = '', effect = ''] = one.split(':');
      const [key = '', value] = rest.split('=');
      return { key, effect, ...(value !== undefined && { value }) };
    });

function taintOf(taint: unknown): NodeConfig['taints'][number] {
  const value = textAt(taint, 'value');
  return {
    key: textAt(taint, 'key'),
    effect: textAt(taint, 'effect'),
    ...(value !== '' && { value }),
  };
}
