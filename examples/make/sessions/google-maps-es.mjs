// Spanish, logged by a Python proxy: ", " and ": ", every letter outside ASCII as \u escapes (also
// inside the arguments, which are JSON in JSON). Role `developer`; `"name": null` on kept replies.

import { exact, python } from '../json.mjs';
import { openSession } from '../proxy.mjs';
import { moment, utcMicros } from '../stamps.mjs';
import { logFile, number, oneOf, params, string, text, tool } from '../text.mjs';

const id = '7c9e2f4a-51d3-4b86-9a0e-3f5b8d21c6e7';
const start = moment('2026-01-13T09:41:57Z', 604118);

const tools = [
  tool(
    'maps_geocode',
    'Convierte una dirección en coordenadas.',
    params({ address: [string, 'Dirección o nombre de un lugar'] }, ['address']),
  ),
  tool(
    'maps_search_places',
    'Busca lugares cerca de un punto.',
    params(
      {
        query: [string, 'Qué se busca, por ejemplo «bar de tapas»'],
        location: [
          { type: 'object', properties: { lat: number, lng: number }, required: ['lat', 'lng'] },
          'Centro de la búsqueda',
        ],
        radius: [number, 'Radio en metros'],
      },
      ['query'],
    ),
  ),
  tool(
    'maps_place_details',
    'Horario, teléfono y valoración de un lugar.',
    params({ place_id: [string, 'Identificador del lugar'] }, ['place_id']),
  ),
  tool(
    'maps_directions',
    'Ruta entre dos puntos.',
    params(
      {
        origin: [string, 'Salida'],
        destination: [string, 'Llegada'],
        mode: [oneOf('walking', 'driving', 'transit'), 'Medio de transporte'],
      },
      ['origin', 'destination'],
    ),
  ),
];

const system = {
  role: 'developer',
  content: text(
    'Eres un asistente de viajes. Contesta siempre en español y con frases cortas.',
    'Usa las herramientas de mapas; no inventes horarios ni distancias.',
    'Las coordenadas se dan con cuatro decimales.',
  ),
};

const places = text(
  '{"results": [',
  '  {"place_id": "pl_8812", "name": "Bodeguita El Albarizo", "rating": 4.6, "lat": 37.3897, "lng": -5.9931},',
  '  {"place_id": "pl_4077", "name": "Taberna La Peña", "rating": 4.4, "lat": 37.3884, "lng": -5.9902},',
  '  {"place_id": "pl_1390", "name": "Casa Muñoz", "rating": 4.1, "lat": 37.3921, "lng": -5.9957}',
  ']}',
);

const detail = (place, name, hours, phone) =>
  `{"place_id": "${place}", "name": "${name}", "horario": "${hours}", "telefono": "${phone}", "terraza": ${place === 'pl_8812'}}`;

const plan = text(
  '¡Claro! 🍷 Te propongo dos paradas, las dos abiertas esta noche:',
  '',
  '1. **Bodeguita El Albarizo** (4,6 ★), con terraza. Abre de 12:00 a 00:30.',
  '2. **Taberna La Peña** (4,4 ★), a 5 minutos a pie. Abre de 20:00 a 01:00.',
  '',
  'Desde la Giralda hay 650 m hasta la primera: unos 9 minutos andando.',
);

/** The log of this session. */
export function googleMapsEs() {
  const session = openSession({
    id,
    start,
    tools,
    system,
    style: python,
    stamp: utcMicros,
    model: 'mistral-large-2411',
    spare: {},
    remember: (message) => ({ ...message, name: null }),
  });
  session.user(
    'Estoy en Sevilla, al lado de la Giralda. ¿Dónde ceno de tapas esta noche sin caminar mucho? 😊',
  );
  session.callTools(null, [
    [
      'maps_geocode',
      { address: 'La Giralda, Sevilla, España' },
      '{"address": "La Giralda, Av. de la Constitución, 41004 Sevilla", "lat": 37.3862, "lng": -5.9926}',
    ],
  ]);
  session.callTools(null, [
    [
      'maps_search_places',
      {
        query: 'bar de tapas típico, cocina andaluza',
        location: { lat: 37.3862, lng: -5.9926 },
        radius: exact('800.0'),
      },
      places,
    ],
  ]);
  session.callTools('Miro los horarios de los dos mejores y la ruta.', [
    [
      'maps_place_details',
      { place_id: 'pl_8812' },
      detail('pl_8812', 'Bodeguita El Albarizo', '12:00–00:30', '+34 954 000 112'),
    ],
    [
      'maps_place_details',
      { place_id: 'pl_4077' },
      detail('pl_4077', 'Taberna La Peña', '20:00–01:00', '+34 954 000 377'),
    ],
    [
      'maps_directions',
      { origin: 'La Giralda, Sevilla', destination: 'Bodeguita El Albarizo', mode: 'walking' },
      '{"distance_m": 650, "duration_min": 9.0, "summary": "C. Mateos Gago → C. Argote de Molina"}',
    ],
  ]);
  session.answer(plan);
  session.wait(95.5);
  session.user('Perfecto. ¿Y si llueve? ☔ La terraza no me sirve.');
  session.answer(
    'Entonces ve directo a **Taberna La Peña**: no tiene terraza, pero sí comedor. Reserva antes en el +34 954 000 377, los martes se llena pronto.',
  );
  return {
    path: `2026-01-13/google-maps-es-01-${id}.jsonl`,
    bytes: Buffer.from(logFile(session.lines())),
  };
}
