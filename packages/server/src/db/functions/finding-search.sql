-- The search in the texts of findings, by the words of endpoint-search.sql.

-- The words of findings' texts, with the places of the findings as positions.
CREATE OR REPLACE FUNCTION finding_words(p_texts text[]) RETURNS tsvector
LANGUAGE sql IMMUTABLE
AS $$
  SELECT words_of_texts(p_texts, '')
$$;

-- Asks for rows with a finding that has each word of a text, or words that begin with it. Null for a text without words.
CREATE OR REPLACE FUNCTION finding_query(p_text text) RETURNS tsquery
LANGUAGE sql IMMUTABLE
AS $$
  SELECT words_query(p_text, '')
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
