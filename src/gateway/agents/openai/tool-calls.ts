import type { OpenAI } from 'openai';

/** One call that a model asked for, whole. */
export interface AskedCall {
  readonly id: string;
  readonly name: string;
  /** JSON as the model wrote it; broken when its answer was cut off */
  readonly input: string;
}

type Piece = OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta.ToolCall;

interface Partial {
  id: string;
  name: string;
  input: string;
}

/** Puts together calls that come in pieces, several of them side by side. */
export class ToolCallAssembler {
  readonly #calls = new Map<number, Partial>();

  take(pieces: readonly Piece[] | null | undefined): void {
    for (const piece of pieces ?? []) this.#takeOne(piece);
  }

  get calls(): readonly AskedCall[] {
    return [...this.#calls.entries()]
      .sort(([left], [right]) => left - right)
      .map(([index, { id, name, input }]) => ({
        id: id === '' ? `call_${index}` : id,
        name,
        input,
      }));
  }

  #takeOne(piece: Piece): void {
    const index = this.#indexOf(piece);
    const call = this.#calls.get(index) ?? { id: '', name: '', input: '' };
    // some servers repeat the id and the name in every piece
    if (piece.id) call.id = piece.id;
    if (piece.function?.name && call.name === '') call.name = piece.function.name;
    call.input += piece.function?.arguments ?? '';
    this.#calls.set(index, call);
  }

  /** Servers that leave the index out begin a call with a new id. */
  #indexOf({ index, id }: Piece): number {
    if (Number.isInteger(index)) return index;
    const known = [...this.#calls.entries()].find(([, call]) => id !== undefined && call.id === id);
    if (known !== undefined) return known[0];
    return id ? this.#calls.size : Math.max(0, this.#calls.size - 1);
  }
}
