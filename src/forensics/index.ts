export { type DeepLook, DIAGNOSIS_FILE, lookDeeply } from './deep-look.js';
export { renderCommand, type SignalWitness, tracerOf, witnessSignal } from './witness.js';
