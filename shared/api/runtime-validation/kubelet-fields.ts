import { quantity } from '../custom-resources/scalars.ts';
import { flag, integer, listOf, mapOf, object, text } from '../schema/fields.ts';
import type { Schema, SchemaNode } from '../schema/schema.ts';

/**
 * The fields of the kubelet's configuration file, by type.
 *
 * @see Kubernetes 1.37, kubelet.config.k8s.io/v1beta1 KubeletConfiguration
 */

type Fields = Readonly<Record<string, Schema<unknown>>>;

const named = (names: string, schema: Schema<unknown>): Fields =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, schema]));

const aText = text('A text.');
const aFlag = flag('True or false.');
const anInteger = integer('A whole number.');
const aList = listOf('Texts.', aText);
const aDuration = text('A duration as Go writes it.', {
  pattern: '^[+-]?(0|(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$',
  wording: { noun: 'duration', grammar: 'a duration as Go writes it', example: '1m30s' },
});
const anyNumber: SchemaNode = {};
const part = (optional: Fields): Schema<unknown> => object('Settings.', { optional });
const format = part({ splitStream: aFlag, infoBufferSize: quantity });

const TEXTS = `kind apiVersion staticPodPath podLogsDir staticPodURL address tlsCertFile
  tlsPrivateKeyFile tlsMinVersion imagePullCredentialsVerificationPolicy healthzBindAddress
  clusterDomain kubeletCgroups systemCgroups cgroupRoot cgroupDriver cpuManagerPolicy
  memoryManagerPolicy topologyManagerPolicy topologyManagerScope hairpinMode podCIDR resolvConf
  contentType containerLogMaxSize configMapAndSecretChangeDetectionStrategy reservedSystemCPUs
  showHiddenMetricsForVersion systemReservedCgroup kubeReservedCgroup volumePluginDir providerID
  memoryReservationPolicy containerRuntimeEndpoint imageServiceEndpoint`;

const FLAGS = `enableServer rotateCertificates serverTLSBootstrap enableDebuggingHandlers
  enableContentionProfiling cgroupsPerQOS singleProcessOOMKill runOnce cpuCFSQuota
  serializeImagePulls mergeDefaultEvictionSettings enableControllerAttachDetach
  protectKernelDefaults makeIPTablesUtilChains failSwapOn kernelMemcgNotification
  enableSystemLogHandler enableSystemLogQuery enableProfilingHandler enableDebugFlagsHandler
  seccompDefault registerNode localStorageCapacityIsolation failCgroupV1`;

const INTEGERS = `port readOnlyPort registryPullQPS registryBurst eventRecordQPS eventBurst
  healthzPort oomScoreAdj nodeLeaseDurationSeconds imageGCHighThresholdPercent
  imageGCLowThresholdPercent podPidsLimit nodeStatusMaxImages maxOpenFiles kubeAPIQPS kubeAPIBurst
  maxParallelImagePulls evictionMaxPodGracePeriod podsPerCore iptablesMasqueradeBit iptablesDropBit
  containerLogMaxFiles containerLogMaxWorkers`;

const DURATIONS = `syncFrequency fileCheckFrequency httpCheckFrequency
  streamingConnectionIdleTimeout nodeStatusUpdateFrequency nodeStatusReportFrequency
  imageMinimumGCAge imageMaximumGCAge volumeStatsAggPeriod cpuManagerReconcilePeriod
  runtimeRequestTimeout cpuCFSQuotaPeriod evictionPressureTransitionPeriod
  containerLogMonitorInterval shutdownGracePeriod shutdownGracePeriodCriticalPods`;

const LISTS =
  'tlsCipherSuites preloadedImagesVerificationAllowlist clusterDNS enforceNodeAllocatable allowedUnsafeSysctls';

const TEXT_MAPS = `cpuManagerPolicyOptions topologyManagerPolicyOptions qosReserved evictionHard
  evictionSoft evictionSoftGracePeriod evictionMinimumReclaim systemReserved kubeReserved
  defaultPodSysctls`;

/** All fields of the kubelet; `npm run upstream` compares them with its newest types. Mortise writes `registerWithTaints` itself. */
export const KUBELET: SchemaNode = object('Settings of the kubelet.', {
  optional: {
    ...named(TEXTS, aText),
    ...named(FLAGS, aFlag),
    ...named(INTEGERS, anInteger),
    ...named(DURATIONS, aDuration),
    ...named(LISTS, aList),
    ...named(TEXT_MAPS, mapOf('Texts by name.', aText)),
    // A whole number, or an expression that yields one.
    maxPods: { intOrString: true },
    memoryThrottlingFactor: anyNumber,
    tlsCurvePreferences: listOf('Numbers.', anInteger),
    featureGates: mapOf('Gates by name.', aFlag),
    staticPodURLHeader: mapOf('Headers.', aList),
    authentication: part({
      x509: part({ clientCAFile: aText }),
      webhook: part({ enabled: aFlag, cacheTTL: aDuration }),
      anonymous: part({ enabled: aFlag }),
    }),
    authorization: part({
      mode: aText,
      webhook: part({ cacheAuthorizedTTL: aDuration, cacheUnauthorizedTTL: aDuration }),
    }),
    memorySwap: part({ swapBehavior: aText }),
    crashLoopBackOff: part({ maxContainerRestartPeriod: aDuration }),
    userNamespaces: part({ idsPerPod: anInteger }),
    logging: part({
      format: aText,
      flushFrequency: anyNumber,
      verbosity: anInteger,
      vmodule: listOf('Levels by file.', part({ filePattern: aText, verbosity: anInteger })),
      options: part({ text: format, json: format }),
    }),
    tracing: part({ endpoint: aText, samplingRatePerMillion: anInteger }),
    shutdownGracePeriodByPodPriority: listOf(
      'Times by priority.',
      part({ priority: anInteger, shutdownGracePeriodSeconds: anInteger }),
    ),
    reservedMemory: listOf('Memory by NUMA node.', part({ numaNode: anInteger, limits: mapOf('Amounts.', quantity) })),
    registerWithTaints: {},
  },
});

/** Fields that Mortise itself sets, for every AMI family. */
export const MANAGED_FIELDS: ReadonlySet<string> = new Set([
  'clusterDNS',
  'maxPods',
  'podsPerCore',
  'systemReserved',
  'kubeReserved',
  'evictionHard',
  'evictionSoft',
  'evictionSoftGracePeriod',
  'evictionMaxPodGracePeriod',
  'imageGCHighThresholdPercent',
  'imageGCLowThresholdPercent',
  'cpuCFSQuota',
]);
