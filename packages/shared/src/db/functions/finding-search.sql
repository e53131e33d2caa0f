-- The search in the texts of findings, by the words of endpoint-search.sql.

-- The words of texts; the positions of a word are the places of the texts that have it, from 1.
CREATE OR REPLACE FUNCTION finding_words(p_texts text[]) RETURNS tsvector
LANGUAGE sql IMMUTABLE
AS $$
  SELECT coalesce(string_agg(quote_literal(w.word) || ':' || t.place, ' '), '')::tsvector
  FROM unnest(p_texts) WITH ORDINALITY AS t (text, place)
  CROSS JOIN LATERAL unnest(split_words(t.text)) AS w (word)
$$;

-- Rows with a text, each word of which begins some word of one finding: <0> asks for the same position. Null for a text without words.
CREATE OR REPLACE FUNCTION finding_query(p_text text) RETURNS tsquery
LANGUAGE sql IMMUTABLE
AS $$
  SELECT string_agg(quote_literal(w.word) || ':*', ' <0> ')::tsquery FROM unnest(split_words(p_text)) AS w (word)
$$;

-- The places of the findings in which each word of a text begins some word.
CREATE OR REPLACE FUNCTION finding_places(p_words tsvector, p_text text) RETURNS SETOF smallint
LANGUAGE sql IMMUTABLE
AS $$
  SELECT found.place
  FROM unnest(split_words(p_text)) AS w (word)
  CROSS JOIN LATERAL (
    SELECT DISTINCT unnest(own.positions) AS place FROM unnest(p_words) AS own WHERE starts_with(own.lexeme, w.word)) found
  GROUP BY found.place
  HAVING count(*) = cardinality(split_words(p_text))
$$;
