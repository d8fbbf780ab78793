import { describe, expect, it } from 'vitest';
import { evaluateSelector } from '../../../shared/api/cel/device-selectors.ts';
import type { Device } from '../../../shared/model/pods/devices.ts';
import { GIB } from '../../../shared/model/resources.ts';
import { aDevice } from '../../support/devices.ts';

const DRIVER = 'gpu.example.com';
const device: Device = aDevice('gpu-0', {
  attributes: {
    model: { string: 'A100' },
    lanes: { int: 16 },
    ok: { bool: true },
    'other.example.com/version': { version: '1.10.0-rc.2' },
  },
  capacity: { memory: { value: 40 * GIB } },
});

const own = `device.attributes["${DRIVER}"]`;
const memory = `device.capacity["${DRIVER}"].memory`;
const version = 'device.attributes["other.example.com"].version';

describe('a selector of devices', () => {
  it.each([
    `device.driver == "${DRIVER}"`,
    `${own}.model == "A100" && ${own}.lanes >= 16 && ${own}.ok`,
    `has(${own}.model) && !has(${own}.serial)`,
    '!has(device.attributes["nobody.example.com"].model)',
    '!("nobody.example.com" in device.attributes) && "other.example.com" in device.attributes',
    `${own}.?serial.orValue("none") == "none"`,
    `cel.bind(gpu, ${own}, gpu.ok && has(gpu.model))`,
    `${own}.model.matches("^A[0-9]+$") && ${own}.model.lowerAscii() == "a100"`,
    `${own}.exists(name, name == "lanes")`,
    `${memory}.compareTo(quantity("40Gi")) == 0 && ${memory} == quantity("40Gi")`,
    `${memory}.isGreaterThan(quantity("39Gi")) && ${memory}.isLessThan(quantity("1Ti"))`,
    `${memory}.sub(quantity("30Gi")).add(quantity("1Gi")).asInteger() == ${11 * GIB}`,
    `${memory}.asApproximateFloat() > 1.0 && ${memory}.isInteger() && ${memory}.sign() == 1`,
    'isQuantity("4Gi") && !isQuantity("4 GB") && isSemver("1.2.3") && !isSemver("v1")',
    `${version}.isGreaterThan(semver("1.9.9")) && ${version}.isLessThan(semver("1.10.0"))`,
    `${version}.compareTo(semver("1.10.0-rc.10")) < 0 && ${version} == semver("1.10.0-rc.2")`,
    `${version}.major() == 1 && ${version}.minor() == 10 && ${version}.patch() == 0`,
    'semver("1.0.0-alpha").isLessThan(semver("1.0.0-alpha.1"))',
    'semver("1.0.0-1").isLessThan(semver("1.0.0-alpha"))',
    '!device.allowMultipleAllocations',
  ])('matches by %s', (selector) => {
    expect(evaluateSelector(selector, device, DRIVER)).toBe('matches');
  });

  it.each([
    ['reads what the device does not say', `${own}.serial == "1"`],
    ['is no expression', `${own}.`],
    ['yields no yes or no', `${own}.model`],
    ['names an unknown function', 'frobnicate(device)'],
    ['reads a version that is none', 'semver("one").major() == 1'],
    ['is too long', `"${'x'.repeat(11_000)}" == ""`],
    ['loops too deep', '[1].all(a, [1].all(b, [1].all(c, [1].all(d, true))))'],
  ])('fails if it %s', (_, selector) => {
    expect(evaluateSelector(selector, device, DRIVER)).toHaveProperty('fails');
  });

  it('does not hang on an expression that backtracks', () => {
    const text = aDevice('gpu-1', { attributes: { name: { string: 'a'.repeat(60) } } });
    const selector = `${own}.name.matches("^(a+)+$")`;
    expect(evaluateSelector(selector, text, DRIVER)).toBe('matches');
    expect(evaluateSelector(`${own}.name.matches("^(a+)+b$")`, text, DRIVER)).toBe('differs');
  });
});
