// A soft tone, made without any file: one for rulings, whatever they say, and another one for calls.

const TONES_HZ = { ruling: 660, call: 440 };
const LENGTH_S = 0.4;
const LEVEL = 0.15;

/** Sounds the tone of a screen, if it has one. */
export function playTone(kind) {
  const frequency = TONES_HZ[kind];
  if (!frequency) return;
  const context = new AudioContext();
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  tone.frequency.value = frequency;
  // Begins and ends at nothing, so that it does not click.
  volume.gain.setValueAtTime(0, context.currentTime);
  volume.gain.linearRampToValueAtTime(LEVEL, context.currentTime + LENGTH_S / 8);
  volume.gain.linearRampToValueAtTime(0, context.currentTime + LENGTH_S);
  tone.connect(volume).connect(context.destination);
  tone.addEventListener("ended", () => context.close());
  tone.start();
  tone.stop(context.currentTime + LENGTH_S);
}
