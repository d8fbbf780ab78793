import { findAliasFamily } from '../../api/stored-objects/ec2-node-class.ts';
import { ARCH_LABEL, OS_LABEL, WINDOWS_BUILD_LABEL } from '../../model/labels.ts';
import type { RequirementSpec } from '../../model/requirements/requirement-specs.ts';

/** A public SSM parameter that holds an image id, and the instance types that the image is for. */
export interface ImageParameter {
  readonly path: string;
  /** One image may serve several groups of types. */
  readonly variants: readonly (readonly RequirementSpec[])[];
}

const GPU_COUNT = 'karpenter.k8s.aws/instance-gpu-count';
const ACCELERATOR_COUNT = 'karpenter.k8s.aws/instance-accelerator-count';

const STANDARD: readonly RequirementSpec[] = [
  { key: GPU_COUNT, operator: 'DoesNotExist' },
  { key: ACCELERATOR_COUNT, operator: 'DoesNotExist' },
];
const NVIDIA: readonly RequirementSpec[] = [{ key: GPU_COUNT, operator: 'Exists' }];
const NEURON: readonly RequirementSpec[] = [{ key: ACCELERATOR_COUNT, operator: 'Exists' }];

const forArchitecture = (arch: 'amd64' | 'arm64', variant: readonly RequirementSpec[]): RequirementSpec[] => [
  { key: ARCH_LABEL, operator: 'In', values: [arch] },
  ...variant,
];

const EKS = '/aws/service/eks/optimized-ami';
const BOTTLEROCKET = '/aws/service/bottlerocket/aws-k8s';
const WINDOWS = '/aws/service/ami-windows-latest/Windows_Server';

const WINDOWS_BUILDS: Readonly<Record<string, string>> = {
  '2019': '10.0.17763',
  '2022': '10.0.20348',
  '2025': '10.0.26100',
};

/**
 * Lists the SSM parameters of an alias for a Kubernetes version.
 *
 * @param alias - validated, such as `al2023@latest` or `bottlerocket@v1.46.0`
 */
export function listImageParameters(alias: string, version: string): readonly ImageParameter[] {
  const [, pinned = 'latest'] = alias.split('@');
  switch (findAliasFamily(alias)) {
    case 'AL2':
      return listAl2Parameters(version, pinned);
    case 'AL2023':
      return listAl2023Parameters(version, pinned);
    case 'Bottlerocket':
      return listBottlerocketParameters(version, pinned);
    case 'Windows2019':
      return listWindowsParameters('2019', version);
    case 'Windows2022':
      return listWindowsParameters('2022', version);
    case 'Windows2025':
      return listWindowsParameters('2025', version);
    case 'Custom':
    case undefined:
      return [];
  }
}

const isMutable = (pinned: string): boolean => pinned === 'latest';

function listAl2Parameters(version: string, pinned: string): readonly ImageParameter[] {
  const path = (folder: string, image: string): string => {
    const release = isMutable(pinned) ? 'recommended' : `${image}-${version}-${pinned}`;
    return `${EKS}/${version}/${folder}/${release}/image_id`;
  };
  return [
    {
      path: path('amazon-linux-2', 'amazon-eks-node'),
      variants: [forArchitecture('amd64', STANDARD)],
    },
    {
      path: path('amazon-linux-2-arm64', 'amazon-eks-arm64-node'),
      variants: [forArchitecture('arm64', STANDARD)],
    },
    {
      path: path('amazon-linux-2-gpu', 'amazon-eks-gpu-node'),
      variants: [forArchitecture('amd64', NEURON), forArchitecture('amd64', NVIDIA)],
    },
  ];
}

function listAl2023Parameters(version: string, pinned: string): readonly ImageParameter[] {
  const parameter = (
    arch: 'amd64' | 'arm64',
    name: string,
    requirements: readonly RequirementSpec[],
  ): ImageParameter => {
    const hardware = arch === 'amd64' ? 'x86_64' : 'arm64';
    const image = `amazon-eks-node-al2023-${hardware}-${name}-${version}-${pinned}`;
    const release = isMutable(pinned) ? 'recommended' : image;
    const path = `${EKS}/${version}/amazon-linux-2023/${hardware}/${name}/${release}/image_id`;
    return { path, variants: [forArchitecture(arch, requirements)] };
  };
  return [
    parameter('amd64', 'standard', STANDARD),
    parameter('arm64', 'standard', STANDARD),
    parameter('amd64', 'nvidia', NVIDIA),
    parameter('arm64', 'nvidia', NVIDIA),
    parameter('amd64', 'neuron', NEURON),
  ];
}

function listBottlerocketParameters(version: string, pinned: string): readonly ImageParameter[] {
  const release = isMutable(pinned) ? 'latest' : pinned.replace(/^v/, '');
  const path = (variant: string, hardware: string): string =>
    `${BOTTLEROCKET}-${version}${variant}/${hardware}/${release}/image_id`;
  return [
    {
      path: path('', 'x86_64'),
      variants: [forArchitecture('amd64', STANDARD), forArchitecture('amd64', NEURON)],
    },
    { path: path('', 'arm64'), variants: [forArchitecture('arm64', STANDARD)] },
    { path: path('-nvidia', 'x86_64'), variants: [forArchitecture('amd64', NVIDIA)] },
    { path: path('-nvidia', 'arm64'), variants: [forArchitecture('arm64', NVIDIA)] },
  ];
}

function listWindowsParameters(year: string, version: string): readonly ImageParameter[] {
  const build = WINDOWS_BUILDS[year] ?? '';
  const requirements: readonly RequirementSpec[] = [
    { key: OS_LABEL, operator: 'In', values: ['windows'] },
    { key: WINDOWS_BUILD_LABEL, operator: 'In', values: [build] },
  ];
  return [
    {
      path: `${WINDOWS}-${year}-English-Core-EKS_Optimized-${version}/image_id`,
      variants: [forArchitecture('amd64', requirements)],
    },
  ];
}

/** AL2 ends with Kubernetes 1.32; Windows 2025 begins with 1.35. */
export function isAliasPublished(alias: string, version: string): boolean {
  const minor = Number(version.split('.')[1]);
  const family = findAliasFamily(alias);
  if (family === 'AL2') return minor < 33;
  return family !== 'Windows2025' || minor >= 35;
}
