import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { FactKind } from '../../../scripts/upstream/fact.ts';
import { listKarpenterFacts } from '../../../scripts/upstream/karpenter-facts.ts';
import { listKubeletFacts } from '../../../scripts/upstream/kubelet-facts.ts';
import { CRDS } from '../../../shared/api/custom-resources/crds.ts';

const folder = mkdtempSync(join(tmpdir(), 'upstream-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes two modules as gofmt would, and lists the facts of one kind. */
function listFacts(kind: FactKind, files: Readonly<Record<string, string>>): readonly string[] {
  const crds = Object.fromEntries(CRDS.map((crd) => [`aws/pkg/apis/crds/${crd.metadata.name}.yaml`, stringify(crd)]));
  for (const [path, text] of Object.entries({ ...crds, 'core/pkg/doc.go': '', ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return listKarpenterFacts(
    { path: 'example.com/core', folder: join(folder, 'core') },
    { path: 'example.com/aws', folder: join(folder, 'aws') },
    [{ path: 'example.com/library', folder: join(folder, 'library') }],
  )
    .filter((fact) => fact.kind === kind)
    .map(({ name, value }) => (value === '' ? name : `${name}: ${value}`));
}

describe('the facts of Go sources', () => {
  it('are gates with their defaults', () => {
    expect(
      listFacts('gate', {
        'core/pkg/operator/options/options.go': `var Dawn = FeatureGate{
	Name:    "Dawn",
	Default: true,
}
`,
        'aws/pkg/operator/options/options.go': `	env.WithDefaultString("AWS_FEATURE_GATES", "Dusk=false,Noon=true")`,
      }),
    ).toEqual(['Dawn: true', 'Dusk: false', 'Noon: true']);
  });

  it('are settings of every type', () => {
    expect(
      listFacts('setting', {
        'core/pkg/operator/options/options.go': `
	fs.DurationVar(&o.Pause, "pause", env.WithDefaultDuration("PAUSE", time.Minute), "A pause.")
	fs.BoolVarWithEnv(&o.Quiet, "quiet", "QUIET", false, "Quiet.")
`,
      }),
    ).toEqual(['PAUSE', 'QUIET']);
  });

  it('are keys whose domain is a constant of another package', () => {
    expect(
      listFacts('key', {
        'core/pkg/apis/apis.go': `const (
	Group = "karpenter.sh"
)
`,
        'core/pkg/apis/v1/labels.go': `import (
	"example.com/core/pkg/apis"
)

const (
	ColourKey = apis.Group + "/colour"
	Unrelated = "blue"
)
`,
        'core/pkg/apis/v1/labels_test.go': 'const (\n\tTestKey = "karpenter.sh/test"\n)\n',
      }),
    ).toEqual(['karpenter.sh/colour']);
  });

  it('are metrics with kind, labels of literals, variables and functions', () => {
    expect(
      listFacts('metric', {
        'core/pkg/metrics/metrics.go': `const (
	Namespace = "karpenter"
)

var Pool = opmetrics.Label{
	Name: "nodepool",
}
`,
        'core/pkg/controllers/metrics.go': `import (
	"example.com/core/pkg/metrics"
)

var zoneLabel = opmetrics.Label{Name: "zone", Help: "The zone."}

var Waits = opmetrics.NewPrometheusSummary(
	registry,
	prometheus.SummaryOpts{
		Namespace: metrics.Namespace,
		Subsystem: "pods",
		Name:      "waits",
	},
	[]opmetrics.Label{metrics.Pool, zoneLabel},
)

var Sizes = opmetrics.NewPrometheusGauge(
	registry,
	prometheus.GaugeOpts{
		Namespace: metrics.Namespace,
		Name:      "sizes",
	},
	sizeLabels(),
	opmetrics.Beta,
)

var Ages = opmetrics.NewPrometheusGauge(
	registry,
	prometheus.GaugeOpts{
		Namespace: metrics.Namespace,
		Name:      "ages",
	},
	computedLabels(),
)

func sizeLabels() []opmetrics.Label {
	return []opmetrics.Label{
		zoneLabel,
	}
}
`,
      }),
    ).toEqual([
      'karpenter_pods_waits: summary of nodepool, zone',
      'karpenter_sizes: gauge of zone',
      'karpenter_ages: gauge',
    ]);
  });

  it('are metrics of the libraries, those of conditions for each kind that has a status controller', () => {
    expect(
      listFacts('metric', {
        'core/pkg/controllers/controllers.go': `
		status.NewController[*v1.NodeClaim](
			kubeClient,
			status.WithLabels(append(lo.Map(classes, func(obj status.Object, _ int) string { return v1.NodeClassLabelKey(obj) }), v1.NodePoolLabelKey)...),
		),
		status.NewController[*v1.NodePool](kubeClient, status.EmitDeprecatedMetrics),
`,
        'library/status/metrics.go': `const (
	MetricSubsystem = "status_condition"
)

var (
	Status = pmetrics.Label{
		Name: "status",
	}
)

func countMetric(objectName string, additionalLabels ...pmetrics.Label) pmetrics.GaugeMetric {
	subsystem := lo.Ternary(len(objectName) == 0, MetricSubsystem, fmt.Sprintf("%s_%s", objectName, MetricSubsystem))

	return pmetrics.NewPrometheusGauge(
		metrics.Registry,
		prometheus.GaugeOpts{
			Namespace: pmetrics.Namespace,
			Subsystem: subsystem,
			Name:      "count",
		},
		append([]pmetrics.Label{
			Status,
		}, additionalLabels...),
	)
}
`,
        'library/pkg/metrics/queue.go': `var depth = prometheus.NewGaugeVec(prometheus.GaugeOpts{
	Name: "queue_depth",
}, []string{"name", "priority"})
`,
      }),
    ).toEqual([
      'operator_nodeclaim_status_condition_count: gauge of karpenter_k8s_aws_ec2nodeclass, karpenter_sh_nodepool, status',
      'operator_nodepool_status_condition_count: gauge of status',
      'queue_depth: gauge of name, priority',
    ]);
  });

  it('are conditions with the kind of their file, and reasons of Events', () => {
    const files = {
      'core/pkg/apis/v1/nodeclaim_status.go': 'const (\n\tConditionTypeAsleep = "Asleep"\n)\n',
      'core/pkg/events/reason.go': 'const (\n\tWoken = "Woken"\n)\n',
      'aws/pkg/controllers/events.go': '\t\tReason:         "Startled",\n',
    };

    expect(listFacts('condition', files)).toEqual(['NodeClaim Asleep']);
    expect(listFacts('event', files)).toEqual(['Woken', 'Startled']);
  });

  it('are not read past a metric whose name is no constant', () => {
    expect(() =>
      listFacts('metric', {
        'core/pkg/metrics.go': `var X = opmetrics.NewPrometheusGauge(
	prometheus.GaugeOpts{
		Name: computed(),
	},
)
`,
      }),
    ).toThrow('pkg/metrics.go: a metric without a constant name');
  });
});

describe('the fields of the kubelet', () => {
  it('are those of its Go types, with the fields of its own structs', () => {
    const text = `type KubeletConfiguration struct {
	metav1.TypeMeta \`json:",inline"\`

	// Comment.
	Sleep *bool \`json:"sleep,omitempty"\`
	Beds []Bed \`json:"beds,omitempty"\`
	Logging logsapi.LoggingConfiguration \`json:"logging,omitempty"\`
}

type Bed struct {
	Length int32 \`json:"length"\`
}
`;
    mkdirSync(join(folder, 'kubelet/config/v1beta1'), { recursive: true });
    writeFileSync(join(folder, 'kubelet/config/v1beta1/types.go'), text);

    expect(listKubeletFacts(join(folder, 'kubelet')).map(({ name }) => name)).toEqual([
      'KubeletConfiguration.sleep',
      'KubeletConfiguration.beds.length',
      'KubeletConfiguration.logging',
    ]);
  });
});
