/**
 * The table of questions that can be asked of calls, a row a question: those of calls, and those of the whole capture. The
 * port, the routes of `/ask`, those of `/v1` that answer with a document, their OpenAPI, the client of a running service, the
 * tools of the agent protocol and what a hub asks its agents are made of these rows. Who answers from memory stands in
 * memory-explorer.ts and memory-asker.ts, who answers from the store in clickhouse/store-explorer.ts.
 */
import { CALL_QUESTIONS } from './call-questions.ts';
import { CAPTURE_QUESTIONS } from './capture-questions.ts';
import type { HubAnswerer } from './question-row.ts';

/** An agent is shown its tools in this order. */
export const QUESTIONS = { ...CALL_QUESTIONS, ...CAPTURE_QUESTIONS };

export type QuestionName = keyof typeof QUESTIONS;

/** Names of the questions that the store answers at a hub, the agent that saw the call, or all agents. */
export type AnsweredBy<From extends HubAnswerer> = {
  [K in QuestionName]: (typeof QUESTIONS)[K] extends { readonly from: From } ? K : never;
}[QuestionName];
