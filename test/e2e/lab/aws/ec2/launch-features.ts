import { ACCOUNT } from '../emulators.ts';
import { type Ec2Feature, type LaunchTemplate, readTemplate } from './ec2-feature.ts';
import { editElement, element, setElement } from './instances-xml.ts';

/** Nested virtualization of launch templates, which the emulator forgets. */
export function cpuOptions(): Ec2Feature {
  const nestedByInstance = new Map<string, string>();

  return {
    addInstance(template, instanceId) {
      const nested = template.get('CpuOptions.NestedVirtualization');
      if (nested !== undefined) nestedByInstance.set(instanceId, nested);
    },
    describeInstance(xml, instanceId) {
      const nested = nestedByInstance.get(instanceId);
      if (nested === undefined) return xml;
      return setElement(xml, 'cpuOptions', element('nestedVirtualization', nested));
    },
  };
}

const METADATA = ['HttpEndpoint', 'HttpProtocolIpv6', 'HttpPutResponseHopLimit', 'HttpTokens'] as const;
/** An address of the block for documentation. */
const PUBLIC_IP = '203.0.113.10';

/** Fields of a volume, and the fields of a block device mapping that set them. */
const VOLUME = [
  ['size', 'VolumeSize'],
  ['volumeType', 'VolumeType'],
  ['iops', 'Iops'],
  ['encrypted', 'Encrypted'],
] as const;
const TRACKING = ['TcpEstablishedTimeout', 'UdpStreamTimeout', 'UdpTimeout'] as const;

/**
 * Metadata options, Nitro Enclaves, profiles, public addresses, connection tracking and the first volume of launch
 * templates, which the emulator forgets.
 */
export function instanceOptions(): Ec2Feature {
  const templates = new Map<string, LaunchTemplate>();

  return {
    addInstance: (template, instanceId) => void templates.set(instanceId, template),
    describeInstance(xml, instanceId) {
      const template = templates.get(instanceId) ?? new Map<string, string>();
      const options = METADATA.flatMap((name) => {
        const value = template.get(`MetadataOptions.${name}`);
        return value === undefined ? [] : [[name, value] as const];
      });
      const edits: readonly ((text: string) => string)[] = [
        (text) =>
          editElement(text, 'metadataOptions', (set) =>
            options.reduce((done, [name, value]) => setElement(done, lowerFirst(name), value), set),
          ),
        (text) => {
          const isEnclave = template.get('EnclaveOptions.Enabled') === 'true';
          return isEnclave ? setElement(text, 'enclaveOptions', element('enabled', 'true')) : text;
        },
        (text) => {
          const profile = template.get('IamInstanceProfile.Name');
          const arn = `arn:aws:iam::${ACCOUNT}:instance-profile/${profile}`;
          return profile === undefined ? text : setElement(text, 'iamInstanceProfile', element('arn', arn));
        },
        (text) => {
          const isPublic = template.get('NetworkInterface.1.AssociatePublicIpAddress') === 'true';
          return isPublic ? setElement(text, 'ipAddress', PUBLIC_IP) : text;
        },
        (text) => {
          const device = template.get('BlockDeviceMapping.1.DeviceName');
          if (device === undefined) return text;
          return editElement(text, 'blockDeviceMapping', (set) => setElement(set, 'deviceName', device));
        },
      ];
      return edits.reduce((text, edit) => edit(text), xml);
    },
    describeAttached(type, xml, instanceId) {
      const template = templates.get(instanceId) ?? new Map<string, string>();
      if (type === 'volume') {
        return VOLUME.reduce((text, [name, field]) => {
          const value = template.get(`BlockDeviceMapping.1.Ebs.${field}`);
          return value === undefined ? text : setElement(text, name, value);
        }, xml);
      }
      const timeouts = TRACKING.flatMap((name) => {
        const value = template.get(`NetworkInterface.1.ConnectionTrackingSpecification.${name}`);
        return value === undefined ? [] : [element(lowerFirst(name), value)];
      });
      return timeouts.length === 0 ? xml : setElement(xml, 'connectionTrackingConfiguration', timeouts.join(''));
    },
  };
}

const lowerFirst = (name: string): string => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;

interface NetworkInterface {
  readonly card: string;
  readonly device: string;
  readonly type: string;
}

/** Network interfaces of launch templates. The emulator gives each instance a single one. */
export function networkInterfaces(): Ec2Feature {
  const interfacesByInstance = new Map<string, readonly NetworkInterface[]>();

  return {
    addInstance(template, instanceId) {
      const interfaces = listInterfaces(template);
      if (interfaces.length > 1) interfacesByInstance.set(instanceId, interfaces);
    },
    describeInstance(xml, instanceId) {
      const [, ...more] = interfacesByInstance.get(instanceId) ?? [];
      if (more.length === 0) return xml;
      return editElement(xml, 'networkInterfaceSet', (set) => {
        const typed = set.includes('<interfaceType>')
          ? set
          : set.replace('</item>', '<interfaceType>interface</interfaceType></item>');
        const end = '</networkInterfaceSet>';
        return typed.replace(end, `${more.map(toItem).join('')}${end}`);
      });
    },
  };
}

function listInterfaces(template: LaunchTemplate): readonly NetworkInterface[] {
  const prefixes = [...template.keys()].flatMap(
    (name) => /^(NetworkInterface\.\d+)\.DeviceIndex$/.exec(name)?.[1] ?? [],
  );
  return prefixes.map((prefix) => ({
    card: template.get(`${prefix}.NetworkCardIndex`) ?? '0',
    device: template.get(`${prefix}.DeviceIndex`) ?? '0',
    type: template.get(`${prefix}.InterfaceType`) ?? 'interface',
  }));
}

const toItem = ({ card, device, type }: NetworkInterface): string =>
  element(
    'item',
    element('attachment', element('deviceIndex', device) + element('networkCardIndex', card)) +
      element('interfaceType', type),
  );

/** The launch templates that were created, by name. */
export function launchTemplates() {
  const templates = new Map<string, LaunchTemplate>();
  return {
    read(parameters: URLSearchParams): void {
      templates.set(parameters.get('LaunchTemplateName') ?? '', readTemplate(parameters));
    },
    find: (name: string): LaunchTemplate => templates.get(name) ?? new Map(),
  };
}
