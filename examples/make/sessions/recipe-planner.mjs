// A rewind: the user goes back to an earlier question and asks it in another way, so the last entries
// are shorter than the longest one. The longest history becomes the record.

import { openSession } from '../proxy.mjs';
import { moment } from '../stamps.mjs';
import { integer, listOf, logFile, params, string, text, tool } from '../text.mjs';

const id = 'recipe-planner-1768414260551000000';
const start = moment('2026-01-14T18:11:00.551Z');

const tools = [
  tool(
    'recipes__search',
    'Recipes by ingredients and time.',
    params(
      {
        ingredients: [listOf(string), 'What there is'],
        max_minutes: [integer, 'Time at most'],
        diet: [string, 'Such as vegetarian'],
      },
      ['ingredients'],
    ),
  ),
  tool(
    'recipes__get',
    'Ingredients and steps of one recipe.',
    params({ recipe_id: [integer, 'Its number'], servings: [integer, 'For how many'] }, ['recipe_id']),
  ),
  tool(
    'pantry__list',
    'What is in the kitchen, with best-before dates.',
    params({ expiring_within_days: [integer, 'Only what must be used soon'] }, []),
  ),
];

const gratin = text(
  '{"id":5519,"title":"Leek and potato gratin","servings":4,"minutes":55,',
  ' "ingredients":["800 g potatoes","3 leeks","250 ml cream","120 g Gruyère","nutmeg"],',
  ' "steps":["Slice thinly.","Sweat the leeks for 8 min.","Layer, pour over the cream, top with cheese.","40 min at 190 °C."]}',
);

/** The log of this session. */
export function recipePlanner() {
  const session = openSession({
    id,
    start,
    tools,
    model: 'gemini-2.5-flash',
    spare: {},
    system: {
      role: 'system',
      content: 'You plan meals for a family of four. Use up what expires first. Metric units only.',
    },
  });
  session.user('What can we cook tonight with what is about to go off?');
  session.callTools(null, [
    [
      'pantry__list',
      { expiring_within_days: 2 },
      '[{"item":"leeks","amount":"3"},{"item":"cream","amount":"250 ml"},{"item":"crème fraîche","amount":"½ tub"}]',
    ],
  ]);
  session.callTools('Leeks and cream. I look for something under an hour.', [
    [
      'recipes__search',
      { ingredients: ['leek', 'cream'], max_minutes: 60 },
      '[{"id":5519,"title":"Leek and potato gratin"},{"id":7204,"title":"Vichyssoise"}]',
    ],
    ['recipes__get', { recipe_id: 5519, servings: 4 }, gratin],
  ]);
  session.answer(
    text(
      '**Leek and potato gratin**, 55 minutes, for four.',
      '',
      '1. Slice 800 g of potatoes thinly.',
      '2. Sweat the 3 leeks for 8 minutes.',
      '3. Layer, pour over 250 ml of cream, top with 120 g of Gruyère and nutmeg.',
      '4. 40 minutes at 190 °C.',
      '',
      'You only need to buy Gruyère.',
    ),
  );
  session.wait(64);
  session.user('We have no oven this week, sorry!');
  session.answer('Then the Vichyssoise: the same leeks and cream, one pot, 35 minutes, served warm.');
  session.wait(140);
  session.rewrite((history) => [
    {
      role: 'user',
      content: 'What can we cook tonight, on the hob only, with what is about to go off?',
    },
    ...history.slice(1, 3),
  ]);
  session.callTools(null, [
    [
      'recipes__search',
      { ingredients: ['leek', 'cream', 'crème fraîche'], max_minutes: 40 },
      '[{"id":7204,"title":"Vichyssoise"},{"id":6630,"title":"Pasta with leeks and cream"}]',
    ],
  ]);
  session.answer(
    '**Pasta with leeks and cream**: 25 minutes, two pans, and the crème fraîche goes in at the end.',
  );
  return { path: `2026-01-14/${id}.jsonl`, bytes: Buffer.from(logFile(session.lines())) };
}
