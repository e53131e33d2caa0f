-- The search in the texts of findings, by the words of endpoint-search.sql.

-- The words of texts, as endpoint_words. A tsvector has less than 1 MB: null for more.
CREATE OR REPLACE FUNCTION finding_words(p_texts text) RETURNS tsvector
LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE WHEN octet_length(p_texts) < 400000 THEN array_to_tsvector(split_words(p_texts)) END
$$;

-- Rules in which each word of a text begins some word; null for a text without words.
CREATE OR REPLACE FUNCTION finding_query(p_text text) RETURNS tsquery
LANGUAGE sql IMMUTABLE
AS $$
  SELECT string_agg(quote_literal(w.word) || ':*', ' & ')::tsquery FROM unnest(split_words(p_text)) AS w (word)
$$;

-- Whether each word of a text begins some word of a finding: for each word, a pattern of it at the beginning, or after ASCII punctuation,
-- of which words have none.
CREATE OR REPLACE FUNCTION finding_patterns(p_text text) RETURNS text[]
LANGUAGE sql IMMUTABLE
AS $$
  SELECT coalesce(array_agg('(^|[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f])' || w.word), '{}')
  FROM unnest(split_words(p_text)) AS w (word)
$$;
