import type {
  Device,
  DeviceClaim,
  DeviceClaimSpec,
  DeviceClaimTemplate,
  DeviceConstraint,
  DeviceSelection,
  DeviceSlice,
  Devices,
} from '../../shared/model/pods/devices.ts';

/** The driver of the test devices, and the domain of their attributes. */
export const GPU_DRIVER = 'gpu.example.com';
const GPU_CLASS = 'gpu';

/** A DeviceClass `gpu` of all devices of the driver. */
export const someDevices = (over: Partial<Devices> = {}): Devices => ({
  slices: [],
  classes: [{ name: GPU_CLASS, selectors: [`device.driver == "${GPU_DRIVER}"`] }],
  claims: [],
  templates: [],
  ...over,
});

export const aDevice = (name: string, over: Partial<Device> = {}): Device => ({
  name,
  attributes: {},
  capacity: {},
  ...over,
});

/** All devices of one node: its pool has no other slice. */
export const aSliceOf = (node: string, devices: readonly Device[], over: Partial<DeviceSlice> = {}): DeviceSlice => ({
  name: `${node}-${GPU_DRIVER}`,
  driver: GPU_DRIVER,
  pool: node,
  generation: 1,
  slicesInPool: 1,
  reach: { node },
  devices,
  counters: {},
  ...over,
});

/** One device of the class `gpu`. */
export const aChoice = (over: Partial<DeviceSelection> = {}): DeviceSelection => ({
  name: 'gpus',
  deviceClass: GPU_CLASS,
  selectors: [],
  count: 1,
  tolerations: [],
  capacity: {},
  ...over,
});

/** One request for each entry, by its name. */
export const requestFor = (
  choices: readonly DeviceSelection[],
  constraints: readonly DeviceConstraint[] = [],
): DeviceClaimSpec => ({
  requests: choices.map((choice) => ({ name: choice.name, choices: [choice] })),
  constraints,
});

export const aClaimTemplate = (
  name: string,
  request: DeviceClaimSpec = requestFor([aChoice()]),
): DeviceClaimTemplate => ({ namespace: 'default', name, request });

export const aDeviceClaim = (name: string, over: Partial<DeviceClaim> = {}): DeviceClaim => ({
  namespace: 'default',
  name,
  request: requestFor([aChoice()]),
  holders: [],
  deleting: false,
  ...over,
});
