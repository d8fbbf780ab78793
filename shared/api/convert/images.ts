import type { ReportMessage } from './message.ts';
import { type Fields, toList, toText } from './written.ts';

const WITH_ALIAS: ReadonlySet<string> = new Set([
  'AL2',
  'AL2023',
  'Bottlerocket',
  'Windows2019',
  'Windows2022',
  'Windows2025',
]);

interface Images {
  readonly amiFamily?: string;
  readonly amiSelectorTerms: readonly unknown[];
  /** Block devices that the AMI family used to have by default. */
  readonly blockDeviceMappings?: readonly Fields[];
}

/** Converts the images of a class: a family alone becomes an alias. */
export function convertImages(written: Fields, terms: readonly unknown[], report: ReportMessage): Images {
  const family = familyOf(written, report);
  if (family === 'Ubuntu') return ubuntu(written, terms, report);
  if (terms.length > 0) return { amiFamily: family, amiSelectorTerms: terms };
  if (!WITH_ALIAS.has(family)) {
    report('X-10', 'spec.amiFamily', `nothing selects an image of family ${family}: add amiSelectorTerms`);
    return { amiSelectorTerms: [] };
  }
  if (family === 'AL2') {
    report('W-16', 'spec.amiFamily', 'there are no AL2 images from Kubernetes 1.33 on: move to al2023@latest');
  }
  return { amiSelectorTerms: [{ alias: `${family.toLowerCase()}@latest` }] };
}

function familyOf({ amiFamily }: Fields, report: ReportMessage): string {
  const family = toText(amiFamily);
  if (family !== undefined) return family;
  report('W-14', 'spec.amiFamily', 'absent: AL2, which it meant');
  return 'AL2';
}

function ubuntu(written: Fields, terms: readonly unknown[], report: ReportMessage): Images {
  if (terms.length === 0) {
    report('X-11', 'spec.amiFamily', 'Ubuntu has no alias: select its image by name and owner, or by SSM parameter');
    return { amiSelectorTerms: [] };
  }
  const hasDevices = toList(written.blockDeviceMappings).length > 0;
  report(
    'W-15',
    'spec.amiFamily',
    `Ubuntu is started like AL2${hasDevices ? '' : ', with the root device that it had'}`,
  );
  return {
    amiFamily: 'AL2',
    amiSelectorTerms: terms,
    ...(!hasDevices && { blockDeviceMappings: [UBUNTU_ROOT] }),
  };
}

const UBUNTU_ROOT: Fields = {
  deviceName: '/dev/sda1',
  rootVolume: true,
  ebs: { volumeSize: '20Gi', volumeType: 'gp3', encrypted: true },
};
