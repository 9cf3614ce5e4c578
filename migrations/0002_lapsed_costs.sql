-- A cost that waited in vain gives way to one that a URL carries, as it does to one that is sent. Before, what the URL carried
-- was lost where the purge had not taken the old cost yet.
DROP TRIGGER engagements_arrived;
--> statement-breakpoint
CREATE TRIGGER engagements_arrived AFTER INSERT ON engagements WHEN NEW.eligible BEGIN
  INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
  SELECT app_token, day, link_id, partner_id, cost_type, currency, state, 1, coalesce(amount, 0)
  FROM cost_states WHERE partner_id = NEW.partner_id AND cost_id = NEW.cost_id
    AND cost_type <> iif(NEW.kind = 'click', 'cpm', 'cpc')
  ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount;
  -- A URL that carries a whole cost is a cost by itself, unless one was sent already that has not lapsed, or the partner has not
  -- come through a round with this cost type: a call is refused then, and a URL must not get around it. `hasLapsed` in
  -- src/domain/matching.ts says the same. The new engagement is in the view by now, but too far from a lapsed cost to match it.
  INSERT INTO costs (partner_id, cost_id, cost_type, currency, amount, source, received_at)
  SELECT NEW.partner_id, NEW.cost_id, NEW.url_cost_type, NEW.url_currency, NEW.url_amount, 'url', NEW.occurred_at
  WHERE NEW.url_cost_type IS NOT NULL AND NEW.url_currency IS NOT NULL AND NEW.url_amount IS NOT NULL AND EXISTS (
    SELECT 1 FROM partners p
    WHERE p.id = NEW.partner_id AND instr(',' || p.integrated_types || ',', ',' || NEW.url_cost_type || ',')
  )
  ON CONFLICT (partner_id, cost_id) DO UPDATE SET
    cost_type = excluded.cost_type, currency = excluded.currency, amount = excluded.amount, tag = excluded.tag,
    source = excluded.source, received_at = excluded.received_at
  WHERE costs.received_at < excluded.received_at - 604800000 AND EXISTS (
    SELECT 1 FROM cost_states s
    WHERE s.partner_id = excluded.partner_id AND s.cost_id = excluded.cost_id AND s.state = 'pending'
  );
END;
