/** The errors that several operations of operators throw. */
import { AppError } from "../errors.ts";

export function notFound(noun: string): AppError {
  return new AppError("not_found", `This ${noun} does not exist.`);
}

export function badField(param: string, message: string): AppError {
  return new AppError("invalid_request", `Fix ${param} and resend the request.`, {
    errors: [{ param, message }],
  });
}

export function unknownPartner(): AppError {
  return badField("partner_id", "must be the ID of an existing partner");
}
